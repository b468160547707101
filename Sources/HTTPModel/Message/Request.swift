/// A request as captured or as it will be sent: head bytes, URL, body and trailers.
public struct Request: Sendable, Hashable {
    /// The absolute URL; nil for a malformed request whose URL could not be parsed.
    public var url: RawURL?
    /// The head as received from the client; nil if it could not be parsed.
    public var head: RequestHead?
    /// The head as it was sent to the server, if it differs from the received one in more than
    /// framing, connection fields, the version and the form of the target; nil otherwise.
    public var sentHead: RequestHead?
    /// How HPACK encoded the lines of a malformed HTTP/2 head, which is a `FieldList` then; nil if
    /// there is none.
    public var malformedCodings: [FieldCoding]?
    /// Whether the client's Host was forwarded although its absolute target named another host.
    public var keepsForeignHost = false
    /// The body without transfer coding.
    public var body: Body
    /// The body as it was sent to the server, if it differs; nil otherwise.
    public var sentBody: Body?
    /// Trailer fields (RFC 9110 §6.5), separate from the head's fields.
    public var trailers: HeaderFields?

    /// Creates a request.
    public init(
        url: RawURL?, head: RequestHead?, body: Body = Body(), trailers: HeaderFields? = nil
    ) {
        self.url = url
        self.head = head
        self.body = body
        self.trailers = trailers
    }

    /// The method; nil if the head could not be parsed.
    public var method: HTTPMethod? { head?.method }
}
