/// A response as captured: head octets, body, trailers.
public struct Response: Sendable, Hashable {
    /// The final head as received on the upstream leg, or our own where we answered.
    public var head: ResponseHead
    /// The head as the client got it, where that differs from what came in more than framing,
    /// fields for one connection and the version; nil where it does not.
    public var sentHead: ResponseHead?
    /// The body after transfer-coding, content-coding kept.
    public var body: Body
    /// The body as the client got it, where that is another one; nil where it is not.
    public var sentBody: Body?
    /// Trailer fields (RFC 9110 §6.5), kept apart from the head's.
    public var trailers: HeaderFields?

    /// Assembles a response.
    public init(head: ResponseHead, body: Body = Body(), trailers: HeaderFields? = nil) {
        self.head = head
        self.body = body
        self.trailers = trailers
    }

    /// The status code.
    public var status: Int { head.status }
}
