internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Where the requests of a client connection go. What is known of one server is behind a reference,
/// because each request asks for the case.
enum InboundDestination {
    /// To the server that each request names: the client knows that it is using a proxy.
    case proxy
    /// To one server: the client asked for a tunnel, which the proxy intercepts.
    indirect case server(TunnelDestination)
    /// To the server whose place a listener takes.
    indirect case reverse(ReverseDestination)

    /// The connection that is already established, until an exchange takes it.
    var prepared: PreparedConnection? {
        if case .server(let server) = self { server.prepared } else { nil }
    }

    /// Whether each request names its server.
    var isNamedByRequests: Bool { if case .proxy = self { true } else { false } }

    /// Events to record for each request because of its tunnel.
    var events: [ExchangeEvent] {
        if case .server(let server) = self { server.events } else { [] }
    }

    /// What replaces references to the server in the response to a request; nil for nothing.
    func backReferences(for head: borrowing RequestHead) -> BackReferences? {
        guard case .reverse(let reverse) = self else { return nil }
        return reverse.backReferences(for: copy head)
    }

    /// How request targets are interpreted.
    var receiver: Receiver {
        switch self {
        case .proxy: .proxy
        case .server(let server): server.receiver
        case .reverse(let reverse): .server(reverse.service.server)
        }
    }
}

/// The server at the end of a tunnel that the proxy intercepts.
struct TunnelDestination {
    /// `http` or `https`.
    let scheme: String
    /// The host that was negotiated.
    let host: String
    /// The port that was negotiated.
    let port: UInt16
    /// Whose names count for the requests.
    var naming = TunnelNaming.byNegotiation
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

    /// How request targets are interpreted.
    var receiver: Receiver {
        switch naming {
        case .byNegotiation: .origin(scheme: scheme, host: host, port: port)
        case .byClient: .address(scheme: scheme, host: serverName ?? host, port: port)
        }
    }

    /// The host whose settings apply to TLS with the server.
    var configuredHost: String {
        switch naming {
        case .byNegotiation: host
        case .byClient: serverName ?? host
        }
    }
}
