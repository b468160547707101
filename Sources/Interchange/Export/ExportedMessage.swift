public import ProxydCaptureModel

/// A message as it is exported.
public struct ExportedMessage: Sendable {
    /// The message.
    public var row: MessageRow
    /// Whether redaction left out what it says.
    public var isLeftOut: Bool

    /// A message with all it says.
    public init(_ row: MessageRow, isLeftOut: Bool = false) {
        self.row = row
        self.isLeftOut = isLeftOut
    }
}
