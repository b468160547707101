public import ProxydEventLoops

/// How to reach a server, if not by the default route. Connections made by different routes are not
/// interchangeable: an exchange only uses connections of its own route.
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
    /// The proxy through which the server is reached. The caller resolves `asConfigured` and
    /// `named`: the transport connects directly for the former and fails for the latter.
    public var upstream: Upstream
    /// The name of the configured client certificate to present to the server; nil for the one that
    /// the configuration selects.
    public var clientCertificate: String?
    /// The number of proxyd instances that the request has passed through.
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

    /// The part of the route that suits another server; nil if that is the default route.
    public var withoutServer: ConnectRoute? {
        let route = ConnectRoute(upstream: upstream, hopCount: hopCount)
        return route == ConnectRoute() ? nil : route
    }

    /// The proxy to connect through; nil for a direct connection.
    public var proxied: UpstreamRoute? {
        if case .through(let route) = upstream { route } else { nil }
    }
}

/// A route through an upstream proxy.
public struct UpstreamRoute: Sendable, Hashable {
    /// The proxy.
    public let proxy: UpstreamProxy
    /// Whether requests go to the proxy itself in absolute-form (RFC 9112 §3.2.2), instead of
    /// through a tunnel to the server.
    public var takesRequests = false
    /// The PROXY header that the proxy gets before anything else; empty for none. The connection
    /// then serves only the client that it names.
    public var header: [UInt8] = []
    /// The number of proxyd instances that requests on the connection have passed through,
    /// including this one.
    public var hopCount = 1

    /// Creates a route through a proxy.
    public init(_ proxy: UpstreamProxy) { self.proxy = proxy }
}
