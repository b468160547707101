public import ProxydHTTPModel

/// A server whose place a reverse proxy takes.
public struct ReplacedServer: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// The server's host, without brackets.
    public let host: String
    /// The server's port.
    public let port: UInt16
    /// The bytes before each request's path: empty, or a path without a slash at its end.
    public let prefix: [UInt8]
    /// The hosts that an absolute request target may name, in their canonical form: the server's,
    /// and those of the reverse proxy.
    public let names: [String]

    /// Creates a server. `names` are further hosts that absolute targets may name.
    public init(
        scheme: String, host: String, port: UInt16, prefix: String = "", names: [String] = []
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.prefix = Array(prefix.utf8)
        self.names = ([host] + names).map(HostName.canonical)
    }

    /// The URL of a request whose target, in origin-form, is `origin`.
    public func url(origin: Span<UInt8>) -> RawURL {
        let written = origin.withUnsafeBufferPointer { Array($0) }
        // `*` means the server as a whole (RFC 9110 §9.3.7).
        let isPath = written.first == UInt8(ascii: "/")
        return RawURL(
            scheme: scheme, host: host, port: port, origin: isPath ? prefix + written : written)
    }

    /// Whether an absolute request target may name this host.
    public func isNamed(_ host: String) -> Bool { names.contains(HostName.canonical(host)) }
}
