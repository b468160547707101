public import ProxydTLS

internal import ProxydHTTPModel

/// Where to connect to and how to secure the way; connections to equal targets lead to the same
/// server. Case and a final dot of a name make no difference.
public struct ConnectTarget: Sendable, Hashable {
    /// A DNS name or an IP address (IPv6 with or without brackets), as it was asked for.
    public let host: String
    /// The host as names are compared: in lower case, without a final dot.
    public let name: String
    /// The port.
    public let port: UInt16
    /// How to make it secure; nil for a plain connection.
    public let tls: TLSPolicy?
    /// Another way than the one the host's name leads to.
    public let route: ConnectRoute?
    /// Whether HTTP/2 is spoken there without asking (RFC 9113 §3.3).
    public let hasPriorKnowledge: Bool

    /// A target.
    public init(
        host: String, port: UInt16, tls: TLSPolicy?, route: ConnectRoute? = nil,
        hasPriorKnowledge: Bool = false
    ) {
        self.host = host
        name = HostName.canonical(host)
        self.port = port
        self.tls = tls
        self.route = route
        self.hasPriorKnowledge = hasPriorKnowledge
    }

    /// The same server by another way.
    public func with(route: ConnectRoute) -> ConnectTarget {
        ConnectTarget(
            host: host, port: port, tls: tls, route: route, hasPriorKnowledge: hasPriorKnowledge)
    }

    /// Whether a connection may turn out to have room for several exchanges at a time.
    var mayBeShared: Bool { hasPriorKnowledge || tls?.alpn.contains("h2") == true }

    /// Whether two targets are the same server, reached in the same way.
    public static func == (left: ConnectTarget, right: ConnectTarget) -> Bool {
        left.port == right.port && left.name == right.name && left.tls == right.tls
            && left.route == right.route && left.hasPriorKnowledge == right.hasPriorKnowledge
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(port)
        hasher.combine(name)
        hasher.combine(tls)
        hasher.combine(route)
        hasher.combine(hasPriorKnowledge)
    }
}
