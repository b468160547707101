/// A request as captured or as to be sent: head octets, where it goes, body, trailers.
public struct Request: Sendable, Hashable {
    /// The absolute URL; nil for a malformed request whose URL could not be read.
    public var url: RawURL?
    /// The head as received on the client leg; nil where it could not be parsed.
    public var head: RequestHead?
    /// The head as it went to the server, where that differs from what came in more than framing,
    /// fields for one connection, the version and the form of the target; nil where it does not.
    public var sentHead: RequestHead?
    /// How the lines of a malformed head of HTTP/2 were written, which is then a `FieldList`; nil
    /// where there is none.
    public var malformedCodings: [FieldCoding]?
    /// Whether the client's Host went on although its absolute target named another host.
    public var keepsForeignHost = false
    /// The body after transfer-coding.
    public var body: Body
    /// The body as it went to the server, where that is another one; nil where it is not.
    public var sentBody: Body?
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
