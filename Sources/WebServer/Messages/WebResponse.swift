internal import ProxydHTTPModel

/// A response of a handler.
public struct WebResponse: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Written piece by piece by a closure on the handler's thread, with chunked coding. The
        /// response is cut short if the closure throws.
        case pieces(@Sendable (WebBodyWriter) throws -> Void)
        /// An event stream that stays open and receives what is published in a feed.
        case feed(EventFeed)
    }

    /// The status code.
    public var status: Int
    /// Header fields in addition to framing and security fields.
    public var fields: [(name: String, value: String)]
    /// The body.
    public var body: Body

    /// Creates a response.
    public init(
        status: Int = 200, fields: [(name: String, value: String)] = [], body: Body = .bytes([])
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Creates a response with bytes of a media type.
    public init(status: Int = 200, type: String, _ bytes: [UInt8]) {
        self.init(status: status, fields: [("Content-Type", type)], body: .bytes(bytes))
    }

    /// Creates an event stream.
    public static func events(_ feed: EventFeed) -> WebResponse {
        WebResponse(fields: [("Content-Type", "text/event-stream")], body: .feed(feed))
    }
}
