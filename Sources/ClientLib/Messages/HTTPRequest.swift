public import ProxydHTTPModel
public import ProxydParameterCoding

/// A request to be sent: what a program wants, before it becomes bytes.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// Where it goes.
    public var url: RawURL
    /// Header fields in the order they are to be sent. `Host`, framing and the session's default
    /// fields are added where they are missing.
    public var fields: HeaderFields
    /// What is sent behind the head.
    public var body: HTTPBody
    /// Fields to be sent behind a chunked body (RFC 9110 §6.5); nil for none.
    public var trailers: HeaderFields?
    /// A head to be sent byte for byte in place of what would be composed of the parts above;
    /// the body is framed as this head says. Nil for a composed head.
    public var exactHead: RequestHead?
    /// The recorded exchange that this request repeats; nil for none.
    public var replayOf: ExchangeID?
    /// Time limits of this request that replace the session's; nil for the session's.
    public var timeouts: Timeouts?
    /// What is spoken with the server; nil for what the session speaks.
    public var protocols: [HTTPProtocol]?
    /// The protocol that the fields ask the server to switch to; nil for none.
    var upgrade: String?
    /// Whether an HTTP proxy has to make a tunnel for it, also where there is no TLS.
    var wantsTunnel = false
    /// What was put on the request as asked although a receiver may understand it differently, in
    /// the order in which it was encoded. Event monitors find it in the `request` of the client's
    /// request from `RequestEvent.willSend` on, and a response has it in its own.
    public var parameterWarnings: [ParameterWarning] = []

    /// A request.
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

    /// The header fields, under the name that users of Alamofire know.
    public var headers: HeaderFields {
        get { fields }
        set { fields = newValue }
    }
}
