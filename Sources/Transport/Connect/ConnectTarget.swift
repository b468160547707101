public import ProxydTLS

internal import ProxydHTTPModel

/// Where to connect and how to secure the connection; connections to equal targets lead to the same
/// server. Case and a trailing dot of a name do not matter.
public struct ConnectTarget: Sendable, Hashable {
    /// A DNS name or an IP address (IPv6 with or without brackets), as it was given.
    public let host: String
    /// The host in the form that is compared: in lower case, without a trailing dot.
    public let name: String
    /// The TCP port.
    public let port: UInt16
    private let policy: Shared<TLSPolicy>?
    private let ownRoute: Shared<ConnectRoute>?
    /// Whether an upstream proxy gets requests to forward instead of being asked for a tunnel.
    let takesRequests: Bool
    /// Whether HTTP/2 is used there without negotiation (RFC 9113 §3.3).
    public let hasPriorKnowledge: Bool

    /// Creates a target.
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

    /// The same server by another route.
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

    /// Hashes what `==` compares.
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
