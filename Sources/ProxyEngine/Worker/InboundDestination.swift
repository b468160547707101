internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Whom the requests of a client connection are for.
enum InboundDestination {
    /// Whoever each request names: the client knows that it talks to a proxy.
    case proxy
    /// One server: the client asked for a tunnel, and we answer inside it.
    case server(TunnelDestination)

    /// The connection that stands already, until it is taken.
    var prepared: PreparedConnection? {
        if case .server(let server) = self { server.prepared } else { nil }
    }

    /// What is recorded of each request because of the tunnel that it came in.
    var events: [ExchangeEvent] {
        if case .server(let server) = self { server.events } else { [] }
    }

    /// How request targets are to be read.
    var receiver: Receiver {
        switch self {
        case .proxy: .proxy
        case .server(let server):
            .origin(scheme: server.scheme, host: server.host, port: server.port)
        }
    }
}

/// The server at the end of a CONNECT tunnel that we look into.
struct TunnelDestination {
    /// `http` or `https`.
    let scheme: String
    /// The host that CONNECT named.
    let host: String
    /// The port that CONNECT named.
    let port: UInt16
    /// The name in the client's hello; nil without TLS or without a name.
    let serverName: String?
    /// What is offered to the server (RFC 7301).
    let alpn: [String]
    /// The way to it, where another one than its name's was chosen.
    var route: ConnectRoute?
    /// The connection that stood before CONNECT was answered, until an exchange takes it.
    let prepared: PreparedConnection?
    /// What was done to the tunnel, and so to each request in it.
    var events: [ExchangeEvent] = []
}
