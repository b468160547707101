public import ProxydEventLoops

/// A route to a server other than the one that its name resolves to. Connections made by different
/// routes are not interchangeable: an exchange only uses connections of its own route.
public struct ConnectRoute: Sendable, Hashable {
    /// The proxy through which the server is reached.
    public enum Upstream: Sendable, Hashable {
        /// The one that the configuration has for the server, if any.
        case asConfigured
        /// None, whatever the configuration says.
        case direct
        /// The configured one with this name.
        case named(String)
        /// This one.
        case through(UpstreamRoute)
    }

    /// The address to connect to instead of those that the name resolves to. Host, SNI and
    /// certificate remain those of the target.
    public var address: SocketAddress?
    /// The proxy through which the server is reached. The transport connects directly unless it is
    /// `through`; whoever knows the configuration replaces the other cases.
    public var upstream: Upstream
    /// The name of the configured certificate to show to the server instead of the one that the
    /// configuration has for it; nil for that one.
    public var clientCertificate: String?
    /// The number of proxies of our kind that the request has passed through.
    public var hopCount: Int
    /// The PROXY header that the server gets before anything else; empty for none. The connection
    /// then serves only the client that it names.
    public var header: [UInt8]

    /// Creates a route.
    public init(
        address: SocketAddress? = nil, upstream: Upstream = .asConfigured,
        clientCertificate: String? = nil, hopCount: Int = 0, header: [UInt8] = []
    ) {
        self.header = header
        self.address = address
        self.upstream = upstream
        self.clientCertificate = clientCertificate
        self.hopCount = hopCount
    }

    /// The same route with the hop count of another one.
    public func counting(_ other: ConnectRoute?) -> ConnectRoute {
        var route = self
        route.hopCount = other?.hopCount ?? hopCount
        return route
    }

    /// The same way for another server; nil if it is the default one.
    public var withoutServer: ConnectRoute? {
        let route = ConnectRoute(upstream: upstream, hopCount: hopCount)
        return route == ConnectRoute() ? nil : route
    }

    /// The proxy to connect through; nil for a direct connection.
    public var proxied: UpstreamRoute? {
        if case .through(let route) = upstream { route } else { nil }
    }
}

/// The way through an upstream proxy.
public struct UpstreamRoute: Sendable, Hashable {
    /// The proxy.
    public let proxy: UpstreamProxy
    /// Whether the connection leads to the proxy itself, which gets requests in absolute-form (RFC
    /// 9112 §3.2.2), instead of through it to the server.
    public var takesRequests = false
    /// The PROXY header that the proxy gets before anything else; empty for none. The connection
    /// then serves only the client that it names.
    public var header: [UInt8] = []
    /// The number of proxies of our kind that requests on the connection have passed through,
    /// including this one.
    public var hopCount = 1

    /// Creates a way through a proxy.
    public init(_ proxy: UpstreamProxy) { self.proxy = proxy }
}
