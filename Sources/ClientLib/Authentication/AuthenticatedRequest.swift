public import ProxydHTTPModel

/// What of a request goes into its credentials.
public struct AuthenticatedRequest: Sendable {
    /// Who is asked.
    public var recipient: AuthenticationRecipient
    /// Where the credentials go: the request's URL, or that of the proxy.
    public var url: RawURL
    /// The method.
    public var method: HTTPMethod
    /// The request target as it is sent.
    public var target: [UInt8]
    /// The whole body; nil where it is not in memory.
    public var body: [UInt8]?

    /// A request to a server, with the URL's path and query as its target.
    public init(method: HTTPMethod, url: RawURL, body: [UInt8]?) {
        recipient = .origin
        self.url = url
        self.method = method
        target = url.origin
        self.body = body
    }

    /// A request to a proxy, CONNECT for one.
    public init(method: HTTPMethod, target: [UInt8], proxy: RawURL, body: [UInt8]?) {
        recipient = .proxy
        url = proxy
        self.method = method
        self.target = target
        self.body = body
    }

    /// The protection space of a realm there.
    func space(realm: String?) -> ProtectionSpace {
        ProtectionSpace(
            scheme: url.scheme, host: url.host, port: url.port, realm: realm,
            recipient: recipient)
    }
}
