public import ProxydFilter

/// Message filters look at stored messages, as far as their bytes were read.
extension MessageRow: MessageFilterSubject {}
