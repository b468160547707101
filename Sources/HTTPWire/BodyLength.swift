/// How the end of a message's body is found (RFC 9112 §6.3).
public enum BodyLength: Sendable, Hashable {
    /// The message has no body, and says nothing of one.
    case none
    /// Exactly this many octets follow; a `Content-Length` says so.
    case exactly(UInt64)
    /// Chunks follow (RFC 9112 §7.1).
    case chunked
    /// The body ends with the connection (responses only).
    case untilClose
}
