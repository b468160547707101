public import ProxydHTTPModel

/// One thing that happened on a connection of HTTP/2.
public enum HTTP2Event: Sendable {
    /// All input was taken.
    case needsMoreInput
    /// A request began: its head, and how its body ends. `.chunked` is a body of which only its
    /// end tells the length.
    case request(StreamID, RequestHead, BodyLength)
    /// An interim response came (RFC 9110 §15.2).
    case informational(StreamID, ResponseHead)
    /// The final response began.
    case response(StreamID, ResponseHead, BodyLength)
    /// Bytes of a body: a range of the input, never empty.
    case body(StreamID, Range<Int>)
    /// Trailer fields, never empty.
    case trailers(StreamID, HeaderFields)
    /// The peer's message is complete.
    case end(StreamID)
    /// The peer's message is not one (RFC 9113 §8.1.1). A request waits to be answered; the stream
    /// of a response was reset.
    case malformed(StreamID, MalformedMessage)
    /// The head of a request cannot be read, and the connection ends for it: the error comes next.
    /// This is what came of it.
    case lostHead(StreamID, MalformedMessage)
    /// The peer reset the stream; or broke a rule, so that we did.
    case reset(StreamID, HTTP2ErrorCode, isOurs: Bool)
    /// The peer acted on nothing of the request, and says so: it may be sent again elsewhere.
    case unprocessed(StreamID, HTTP2ErrorCode)
    /// The peer takes no stream above a number (RFC 9113 §6.8).
    case goAway(last: UInt32, HTTP2ErrorCode, debug: [UInt8])
    /// What the peer announces has changed.
    case settings(HTTP2Settings)
    /// A client says how urgent a response is: the value of a Priority field (RFC 9218 §7.1).
    case priorityUpdate(StreamID, [UInt8])
}
