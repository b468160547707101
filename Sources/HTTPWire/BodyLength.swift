/// How the end of a message body is determined (RFC 9112 §6.3).
public enum BodyLength: Sendable, Hashable {
    /// The message has no body and no framing fields.
    case none
    /// Exactly this many bytes follow, according to `Content-Length`.
    case exactly(UInt64)
    /// Chunks follow (RFC 9112 §7.1).
    case chunked
    /// The body ends with the connection (responses only).
    case untilClose
}
