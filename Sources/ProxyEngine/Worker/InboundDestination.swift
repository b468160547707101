internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Where the requests of a client connection go.
enum InboundDestination {
    /// To the server that each request names: the client knows that it is using a proxy.
    case proxy
    /// To one server: the client asked for a tunnel, which the proxy intercepts.
    case server(TunnelDestination)

    /// The connection that is already established, until an exchange takes it.
    var prepared: PreparedConnection? {
        if case .server(let server) = self { server.prepared } else { nil }
    }

    /// Events to record for each request because of its tunnel.
    var events: [ExchangeEvent] {
        if case .server(let server) = self { server.events } else { [] }
    }

    /// How request targets are interpreted.
    var receiver: Receiver {
        switch self {
        case .proxy: .proxy
        case .server(let server):
            .origin(scheme: server.scheme, host: server.host, port: server.port)
        }
    }
}

/// The server at the end of a CONNECT tunnel that the proxy intercepts.
struct TunnelDestination {
    /// `http` or `https`.
    let scheme: String
    /// The host that CONNECT named.
    let host: String
    /// The port that CONNECT named.
    let port: UInt16
    /// The server name in the client's TLS ClientHello; nil without TLS or without a name.
    let serverName: String?
    /// The protocols offered to the server (RFC 7301).
    let alpn: [String]
    /// The route to the server if it is not the default one for its name.
    var route: ConnectRoute?
    /// The connection made before CONNECT was answered, until an exchange takes it.
    let prepared: PreparedConnection?
    /// What was done to the tunnel, and therefore to each request in it.
    var events: [ExchangeEvent] = []
}
