public import ProxydHTTPModel

/// The realm of a server or proxy that a credential is for (RFC 9110 §11.5).
public struct ProtectionSpace: Sendable, Hashable {
    /// Whether the space belongs to a server or a proxy.
    public let recipient: AuthenticationRecipient
    /// `http` or `https`; for a proxy, the scheme of the connection to it.
    public let scheme: String
    /// The host in lower case.
    public let host: String
    /// The port of the server or proxy.
    public let port: UInt16
    /// The realm, or nil for all realms.
    public let realm: String?

    /// Creates a protection space from its parts.
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

    /// The protection space of a URL's server.
    public init(_ url: RawURL, realm: String? = nil) {
        self.init(scheme: url.scheme, host: url.host, port: url.port, realm: realm)
    }

    /// The same server or proxy with another realm.
    func with(realm: String?) -> ProtectionSpace {
        ProtectionSpace(
            scheme: scheme, host: host, port: port, realm: realm, recipient: recipient)
    }
}
