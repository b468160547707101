public import ProxydHTTPModel

/// The parts of a request that its credentials depend on.
public struct AuthenticatedRequest: Sendable {
    /// Whether the server or a proxy asks for credentials.
    public var recipient: AuthenticationRecipient
    /// The URL of the server or proxy that gets the credentials.
    public var url: RawURL
    /// The request's method, which Digest includes in its hash.
    public var method: HTTPMethod
    /// The request target as it is sent, which Digest includes in its hash.
    public var target: [UInt8]
    /// The whole body, or nil if it is not in memory.
    public var body: [UInt8]?

    /// A request to a server, with the URL's path and query as its target.
    public init(method: HTTPMethod, url: RawURL, body: [UInt8]?) {
        recipient = .origin
        self.url = url
        self.method = method
        target = url.origin
        self.body = body
    }

    /// A request to a proxy, such as CONNECT.
    public init(method: HTTPMethod, target: [UInt8], proxy: RawURL, body: [UInt8]?) {
        recipient = .proxy
        url = proxy
        self.method = method
        self.target = target
        self.body = body
    }

    /// The protection space of a realm on this request's server or proxy.
    func space(realm: String?) -> ProtectionSpace {
        ProtectionSpace(
            scheme: url.scheme, host: url.host, port: url.port, realm: realm,
            recipient: recipient)
    }
}
