internal import ProxydCaptureModel

/// The message that is viewed beside the list.
struct ShownMessage: Sendable {
    /// The one that is selected in the list.
    let row: MessageRow
    /// All of it; nil until it is read.
    var content: MessageContent?
    /// Whether what was searched for is to be found in it.
    var isSought = false
}
