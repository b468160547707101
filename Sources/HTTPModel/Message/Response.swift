/// A response as captured: head bytes, body and trailers.
public struct Response: Sendable, Hashable {
    /// The final head as received from the server, or the proxy's own if it answered.
    public var head: ResponseHead
    /// The head as it was sent to the client, if it differs from the received one in more than
    /// framing, connection fields and the version; nil otherwise.
    public var sentHead: ResponseHead?
    /// The body without transfer coding, but with content coding.
    public var body: Body
    /// The body as it was sent to the client, if it differs; nil otherwise.
    public var sentBody: Body?
    /// Whether the client received nothing of it: a rule closed the connection, or the client left
    /// while the response was held.
    public var isWithheld = false
    /// Trailer fields (RFC 9110 §6.5), separate from the head's fields.
    public var trailers: HeaderFields?

    /// Creates a response.
    public init(head: ResponseHead, body: Body = Body(), trailers: HeaderFields? = nil) {
        self.head = head
        self.body = body
        self.trailers = trailers
    }

    /// The status code that was received; `delivered` has the one that was sent to the client.
    public var status: Int { head.status }

    /// Whether the client received something else, or nothing.
    public var isChanged: Bool { isWithheld || sentHead != nil || sentBody != nil }

    /// The response as the client received it; nil if it received nothing.
    public var delivered: Response? {
        guard !isWithheld else { return nil }
        var delivered = Response(
            head: sentHead ?? head, body: sentBody ?? body, trailers: trailers)
        if sentBody != nil { delivered.trailers = nil }
        return delivered
    }
}
