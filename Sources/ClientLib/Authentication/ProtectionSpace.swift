public import ProxydHTTPModel

/// What a credential is for: a realm of a server or proxy (RFC 9110 §11.5).
public struct ProtectionSpace: Sendable, Hashable {
    /// Whether it is the server or a proxy.
    public let recipient: AuthenticationRecipient
    /// `http` or `https`; a proxy's is that of the connection to it.
    public let scheme: String
    /// The host in lower case.
    public let host: String
    /// The port.
    public let port: UInt16
    /// The realm; nil for all of them.
    public let realm: String?

    /// A protection space.
    public init(
        scheme: String, host: String, port: UInt16, realm: String? = nil,
        recipient: AuthenticationRecipient = .origin
    ) {
        self.recipient = recipient
        self.scheme = scheme
        self.host = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
        self.port = port
        self.realm = realm
    }

    /// The space of a URL's server.
    public init(_ url: RawURL, realm: String? = nil) {
        self.init(scheme: url.scheme, host: url.host, port: url.port, realm: realm)
    }

    /// The same server or proxy, in another realm.
    func with(realm: String?) -> ProtectionSpace {
        ProtectionSpace(
            scheme: scheme, host: host, port: port, realm: realm, recipient: recipient)
    }
}
