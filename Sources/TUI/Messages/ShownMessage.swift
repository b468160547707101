internal import ProxydCaptureModel

/// The message shown beside the list.
struct ShownMessage: Sendable {
    /// The row that is selected in the list.
    let row: MessageRow
    /// The complete message, or nil until it is read.
    var content: MessageContent?
    /// Whether the search text still has to be found in it.
    var isSought = false
}
