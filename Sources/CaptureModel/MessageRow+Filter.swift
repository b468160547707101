public import ProxydFilter

/// Message filters test stored messages as far as their bytes were read.
extension MessageRow: MessageFilterSubject {}
