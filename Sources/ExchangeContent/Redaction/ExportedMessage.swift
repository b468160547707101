public import ProxydCaptureModel

/// A message to export.
public struct ExportedMessage: Sendable {
    /// The message as stored, or as redacted.
    public var row: MessageRow
    /// Whether redaction removed the content.
    public var isLeftOut: Bool

    /// Creates a message; its content is complete unless told otherwise.
    public init(_ row: MessageRow, isLeftOut: Bool = false) {
        self.row = row
        self.isLeftOut = isLeftOut
    }
}
