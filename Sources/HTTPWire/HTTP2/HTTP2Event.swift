public import ProxydHTTPModel

/// An event on an HTTP/2 connection.
public enum HTTP2Event: Sendable {
    /// All input was consumed.
    case needsMoreInput
    /// A request started: its head, and how its body ends. `.chunked` is a body whose length is
    /// unknown until it ends.
    case request(StreamID, RequestHead, BodyLength)
    /// An interim response was received (RFC 9110 §15.2).
    case informational(StreamID, ResponseHead)
    /// The final response started.
    case response(StreamID, ResponseHead, BodyLength)
    /// Body bytes: a range of the input, never empty.
    case body(StreamID, Range<Int>)
    /// Trailer fields, never empty.
    case trailers(StreamID, HeaderFields)
    /// The peer's message is complete.
    case end(StreamID)
    /// The peer's message is malformed (RFC 9113 §8.1.1). A request is waiting for its response;
    /// the stream of a response was reset.
    case malformed(StreamID, MalformedMessage)
    /// The head of a request could not be read, which ends the connection: the error comes next.
    /// The message contains what was received of the head.
    case lostHead(StreamID, MalformedMessage)
    /// The stream was reset, by the peer or by us because the peer violated the protocol.
    case reset(StreamID, HTTP2ErrorCode, isOurs: Bool)
    /// The peer says that it has not processed the request, so it may be sent again elsewhere.
    case unprocessed(StreamID, HTTP2ErrorCode)
    /// The peer processes no streams with higher numbers than `last` (RFC 9113 §6.8).
    case goAway(last: UInt32, HTTP2ErrorCode, debug: [UInt8])
    /// The peer's settings have changed.
    case settings(HTTP2Settings)
    /// A client set the priority of a response: the value of a Priority field (RFC 9218 §7.1).
    case priorityUpdate(StreamID, [UInt8])
}
