/// What a connection of any HTTP version says about its messages.
///
/// HTTP/1 decoders and, later, HTTP/2 speak this one vocabulary, so that forwarding and recording
/// see one shape. Body octets travel apart, as borrowed spans, so that streaming copies nothing.
public enum HTTPEvent<Head: Sendable>: Sendable {
    /// An interim response head, 1xx (requests have none).
    case informational(Head)
    /// The head of a message that now begins.
    case head(Head, BodyLength)
    /// Trailer fields behind a chunked body.
    case trailers(HeaderFields)
    /// The message is complete.
    case end

    /// How the end of a body is found (RFC 9112 §6.3).
    public enum BodyLength: Sendable, Hashable {
        /// The message has no body.
        case none
        /// Exactly this many octets follow.
        case exactly(UInt64)
        /// Chunks follow.
        case chunked
        /// The body ends with the connection.
        case untilClose
    }
}

/// The number of a stream on its connection. HTTP/1 has one stream: `.only`.
public struct StreamID: Sendable, Hashable {
    /// The number on the wire (RFC 9113 §5.1.1).
    public let rawValue: UInt32
    /// A stream of a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The one stream of an HTTP/1 connection.
    public static let only = StreamID(rawValue: 0)
}
