/// A request as captured or as to be sent: head octets, where it goes, body, trailers.
public struct Request: Sendable, Hashable {
    /// The absolute URL; nil for a malformed request whose URL could not be read.
    public var url: RawURL?
    /// The head as received on the client leg; nil where it could not be parsed.
    public var head: RequestHead?
    /// The body after transfer-coding.
    public var body: Body
    /// Trailer fields (RFC 9110 §6.5), kept apart from the head's.
    public var trailers: HeaderFields?

    /// Assembles a request.
    public init(
        url: RawURL?, head: RequestHead?, body: Body = Body(), trailers: HeaderFields? = nil
    ) {
        self.url = url
        self.head = head
        self.body = body
        self.trailers = trailers
    }

    /// The method; nil where the head could not be parsed.
    public var method: HTTPMethod? { head?.method }
}
