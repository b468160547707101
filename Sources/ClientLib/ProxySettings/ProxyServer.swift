public import ProxydHTTPModel

/// A proxy: how to speak to it, where it is, and as whom.
public struct ProxyServer: Sendable, Hashable, CustomStringConvertible {
    /// How a proxy is spoken to.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Absolute-form requests for http, CONNECT for https (RFC 9110 §7.6, §9.3.6).
        case http
        /// SOCKS 5 with addresses that are looked up here (RFC 1928).
        case socks5
        /// SOCKS 5 with names that the proxy looks up.
        case socks5h

        /// The port where none is written.
        public var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .socks5, .socks5h: 1_080
            }
        }
    }

    /// How it is spoken to.
    public var kind: Kind
    /// A name or an address, without brackets.
    public var host: String
    /// The port.
    public var port: UInt16
    /// Who asks; nil for no one in particular.
    public var credential: Credential?

    /// A proxy.
    public init(
        _ kind: Kind = .http, host: String, port: UInt16? = nil, credential: Credential? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port ?? kind.defaultPort
        self.credential = credential
    }

    /// Reads `[scheme://][user[:password]@]host[:port]` with an optional slash behind it; without
    /// a scheme it is `http`. Name and password are percent-encoded.
    public init(_ text: String) throws(ProxySettingsError) {
        self = try ProxyServerReader.read(text)
    }

    /// The URL without the password.
    public var description: String {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(kind.rawValue)://\(credential == nil ? "" : "***@")\(shown):\(port)"
    }

    /// The URL of the proxy itself, as what credentials are for.
    public var url: RawURL {
        RawURL(scheme: "http", host: host, port: port, origin: [UInt8(ascii: "/")])
    }
}
