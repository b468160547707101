/// What a command does not send although the request has it.
public enum CurlOmission: Sendable, Hashable, CustomStringConvertible {
    /// curl cannot send trailer fields.
    case trailers
    /// The end of the body was not kept; the number of octets that are missing.
    case bodyEnd(byteCount: Int64)
    /// A stream can be read only once, and the command must not.
    case body
    /// A field line that no command can hold: a line end or NUL within it.
    case field(name: String)
    /// A Content-Length that is not the length of the body the command sends.
    case contentLength
    /// curl would wait for the body of the response to a HEAD that has a body itself.
    case bodyOfHead

    /// The omission as a sentence's beginning.
    public var description: String {
        switch self {
        case .trailers: "trailer fields"
        case .bodyEnd(let byteCount): "the last \(byteCount) octets of the body"
        case .body: "the body, a stream"
        case .field(let name): "the field \(name)"
        case .contentLength: "a Content-Length that does not fit the body"
        case .bodyOfHead: "the body of a HEAD request"
        }
    }
}
