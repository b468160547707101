public import ProxydHTTPModel

/// A proxy: its protocol, its location and the credentials for it.
public struct ProxyServer: Sendable, Hashable, CustomStringConvertible {
    /// The protocol used with a proxy.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Absolute-form requests for http, CONNECT for https (RFC 9110 §7.6, §9.3.6).
        case http
        /// SOCKS 5 with addresses that are resolved locally (RFC 1928).
        case socks5
        /// SOCKS 5 with names that the proxy resolves.
        case socks5h

        /// The port if none is given.
        public var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .socks5, .socks5h: 1_080
            }
        }
    }

    /// The protocol used with the proxy.
    public var kind: Kind
    /// A name or an address, without brackets.
    public var host: String
    /// The port of the proxy.
    public var port: UInt16
    /// The credential for the proxy, or nil for none.
    public var credential: Credential?

    /// Creates a proxy from its parts.
    public init(
        _ kind: Kind = .http, host: String, port: UInt16? = nil, credential: Credential? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port ?? kind.defaultPort
        self.credential = credential
    }

    /// Parses `[scheme://][user[:password]@]host[:port]` with an optional slash at the end; without
    /// a scheme it is `http`. Name and password are percent-decoded.
    public init(_ text: String) throws(ProxySettingsError) {
        self = try ProxyServerReader.read(text)
    }

    /// The URL without the password.
    public var description: String {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(kind.rawValue)://\(credential == nil ? "" : "***@")\(shown):\(port)"
    }

    /// The proxy's own URL, which its credentials belong to.
    public var url: RawURL {
        RawURL(scheme: "http", host: host, port: port, origin: [UInt8(ascii: "/")])
    }
}
