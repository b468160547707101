/// A part of the request that a command does not send.
public enum CurlOmission: Sendable, Hashable, CustomStringConvertible {
    /// curl cannot send trailer fields.
    case trailers
    /// The end of the body was not stored; the number of missing bytes.
    case bodyEnd(byteCount: Int64)
    /// A stream can be read only once, and creating the command must not read it.
    case body
    /// A field line that no command can contain, because it has a line break or NUL in it.
    case field(name: String)
    /// A Content-Length that differs from the length of the body that the command sends.
    case contentLength
    /// curl would wait for the response body of a HEAD request that has a body itself.
    case bodyOfHead

    /// The omission as the start of a sentence.
    public var description: String {
        switch self {
        case .trailers: "trailer fields"
        case .bodyEnd(let byteCount): "the last \(byteCount) bytes of the body"
        case .body: "the body, a stream"
        case .field(let name): "the field \(name)"
        case .contentLength: "a Content-Length that does not fit the body"
        case .bodyOfHead: "the body of a HEAD request"
        }
    }
}
