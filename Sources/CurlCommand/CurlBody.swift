/// The body that a command sends.
public enum CurlBody: Sendable, Hashable {
    /// No body.
    case none
    /// These bytes, written into the command.
    case bytes([UInt8])
    /// The contents of a file at the time the command runs.
    case file(path: String)
    /// A body that the command does not contain: a stream that can be read only once.
    case omitted
}
