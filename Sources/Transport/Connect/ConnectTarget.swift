public import ProxydEventLoops
internal import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTLS

/// Where to connect and how to secure the connection; connections to equal targets lead to the same
/// server. Case and a trailing dot of a name do not matter.
public struct ConnectTarget: Sendable, Hashable {
    /// A DNS name or an IP address (IPv6 with or without brackets), as it was given.
    public let host: String
    /// The host in the form that is compared: in lower case, without a trailing dot.
    public let name: String
    public let port: UInt16
    private let policy: Shared<TLSPolicy>?
    private let ownRoute: Shared<ConnectRoute>?
    /// Whether an upstream proxy gets requests to forward instead of being asked for a tunnel.
    let takesRequests: Bool
    /// Whether HTTP/2 is used there without negotiation (RFC 9113 §3.3).
    public let hasPriorKnowledge: Bool

    public init(
        host: String, port: UInt16, tls: TLSPolicy?, route: ConnectRoute? = nil,
        hasPriorKnowledge: Bool = false
    ) {
        self.host = host
        name = HostName.canonical(host)
        self.port = port
        policy = tls.map(Shared.init)
        ownRoute = route.map(Shared.init)
        takesRequests = route?.proxied?.takesRequests ?? false
        self.hasPriorKnowledge = hasPriorKnowledge
    }

    /// The route to the server if it is not the default one for its name.
    public var route: ConnectRoute? { ownRoute?.value }
    /// How to secure the connection; nil for a plain connection.
    public var tls: TLSPolicy? { policy?.value }

    public func with(route: ConnectRoute) -> ConnectTarget {
        ConnectTarget(
            host: host, port: port, tls: tls, route: route, hasPriorKnowledge: hasPriorKnowledge)
    }

    /// Whether a connection might carry several exchanges at a time, because it may use HTTP/2.
    var mayBeShared: Bool { hasPriorKnowledge || tls?.alpn.contains("h2") == true }

    /// Whether two targets are the same server, reached in the same way.
    public static func == (left: ConnectTarget, right: ConnectTarget) -> Bool {
        left.port == right.port && left.name == right.name && left.policy == right.policy
            && left.ownRoute == right.ownRoute && left.hasPriorKnowledge == right.hasPriorKnowledge
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(port)
        hasher.combine(name)
        hasher.combine(policy)
        hasher.combine(ownRoute)
        hasher.combine(hasPriorKnowledge)
    }
}

/// A value behind a reference, because it is large and targets are copied for each request.
private final class Shared<Value: Sendable & Hashable>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.value == right.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

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

    public init(_ proxy: UpstreamProxy) { self.proxy = proxy }
}

extension PROXYAddresses.Endpoint {
    /// The endpoint of an IP address; nil for a Unix socket.
    public init?(_ address: SocketAddress) {
        guard let parsed = InternetAddress(address.ip) else { return nil }
        self.init(address: parsed, port: address.port)
    }
}

extension SocketAddress {
    public init(_ endpoint: PROXYAddresses.Endpoint) {
        let number = { (bytes: ArraySlice<UInt8>) in
            bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        let bytes = endpoint.address.bytes
        guard endpoint.address.isIPv6 else {
            self.init(ipv4: UInt32(truncatingIfNeeded: number(bytes[...])), port: endpoint.port)
            return
        }
        self.init(ipv6: number(bytes[..<8]), number(bytes[8...]), port: endpoint.port)
    }
}
