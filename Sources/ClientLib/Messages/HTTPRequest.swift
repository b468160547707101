public import ProxydHTTPModel
public import ProxydParameterCoding

/// A request to be sent, before it is serialized.
public struct HTTPRequest: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// The URL that the request is sent to.
    public var url: RawURL
    /// Header fields in the order they are sent. `Host`, framing fields and the session's default
    /// fields are added if they are missing.
    public var fields: HeaderFields
    /// The body that is sent after the head.
    public var body: HTTPBody
    /// Fields sent after a chunked body (RFC 9110 §6.5), or nil for none.
    public var trailers: HeaderFields?
    /// A head that is sent byte for byte instead of one composed from the properties above; the
    /// body is framed as this head says. Nil for a composed head.
    public var exactHead: RequestHead?
    /// The recorded exchange that this request repeats, or nil if it is not a replay.
    public var replayOf: ExchangeID?
    /// Time limits of this request, or nil to use the session's.
    public var timeouts: Timeouts?
    /// The protocols that may be used with the server, or nil to use the session's.
    public var protocols: [HTTPProtocol]?
    /// The protocol that the fields ask the server to switch to, or nil for none.
    var upgrade: String?
    /// Whether an HTTP proxy must create a tunnel for the request even without TLS.
    var wantsTunnel = false
    /// Parameters that were encoded as requested although a receiver may interpret them
    /// differently, in the order of encoding. Event monitors find them in the `request` of the
    /// client's request from `RequestEvent.willSend` on; a response has them in its own `request`.
    public var parameterWarnings: [ParameterWarning] = []

    /// Creates a request from its parts.
    public init(
        method: HTTPMethod = .get, url: RawURL, fields: HeaderFields = HeaderFields(),
        body: HTTPBody = .none, trailers: HeaderFields? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.trailers = trailers
    }

    /// The header fields, under Alamofire's name.
    public var headers: HeaderFields {
        get { fields }
        set { fields = newValue }
    }
}
