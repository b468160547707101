/// The body a command sends.
public enum CurlBody: Sendable, Hashable {
    /// No body.
    case none
    /// These octets, written into the command.
    case octets([UInt8])
    /// What a file holds when the command runs.
    case file(path: String)
    /// A body there is, but the command does not have it: a stream that is read once.
    case omitted
}
