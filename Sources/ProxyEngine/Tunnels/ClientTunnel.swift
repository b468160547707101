internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydMessages
internal import ProxydTLS
internal import ProxydTransport

/// A tunnel that a client negotiated: the state that all its layers share.
///
/// ```
/// TunnelOpening ──▶ TunnelSniffer ──TLS, to be read──▶ TLSInterception ──▶ HTTP over TLS
///                        ├── HTTP ──▶ HTTP
///                        └── anything else ──▶ TunnelLayer
/// ```
/// An intercepted tunnel has no record of its own unless it fails, so its tap is opened late.
struct ClientTunnel {
    /// Whether a tunnel needs a connection to its server before it is established.
    enum ServerNeed {
        case needed
        /// Forwarded requests connect to it later; what is not intercepted is relayed.
        case later
        /// Forwarded requests connect to it later; what is not intercepted is not relayed.
        case laterIfRead
    }

    private(set) var client: any DuplexStream
    let connection: ClientConnection
    let parts: TunnelParts
    let negotiation: any Negotiation
    /// The route to the server if it is not the default one for its name.
    var route: ConnectRoute?
    /// How many proxies of our kind the client's request has passed through.
    var hopCount = 0
    /// The pace of the client's bytes in the established tunnel; nil to forward them as they come.
    var pace: (any PaceActor)?
    var server = ServerNeed.needed
    /// What was done to the tunnel before it had a record. If it is intercepted, the events are
    /// copied to the record of each request in it.
    var events: [ExchangeEvent] = []

    init(
        client: any DuplexStream, connection: ClientConnection, parts: TunnelParts,
        negotiation: any Negotiation
    ) {
        self.client = client
        self.connection = connection
        self.parts = parts
        self.negotiation = negotiation
    }

    /// Puts the pace below all later layers, if there is one.
    mutating func beginPace(_ ahead: inout EarlyTunnelBytes) {
        guard let pace else { return }
        let paced = PacedStream(client, of: connection, at: pace)
        paced.start()
        ahead.move(from: client, to: paced)
        client = paced
    }

    // MARK: The server

    /// The server as the target of a relayed tunnel.
    var plainTarget: ConnectTarget { target(tls: nil) }

    /// The server as the target of an interception that offers these protocols (RFC 7301).
    func interceptedTarget(_ serverName: String?, alpn: [String]) -> ConnectTarget {
        target(tls: policy(serverName: serverName, alpn: alpn))
    }

    /// Whether an idle connection with a usual offer shows that the server can be reached.
    var isKnownToBeReached: Bool {
        [["http/1.1"], ["h2", "http/1.1"]].contains { alpn in
            parts.transport.hasIdleConnection(to: interceptedTarget(negotiation.host, alpn: alpn))
        }
    }

    /// Whether the server is reached only once it is known what the tunnel carries: an HTTP proxy
    /// gets requests without TLS as requests, and few allow CONNECT for them. A client that asked
    /// for CONNECT itself is told first whether its server can be reached.
    var waitsForContent: Bool {
        guard negotiation.mayBeEstablishedEarly, connection.settings.hasRoutes else { return false }
        return plainTarget.route?.proxied?.proxy.speaksHTTP ?? false
    }

    private func target(tls: TLSPolicy?) -> ConnectTarget {
        connection.routed(
            ConnectTarget(
                host: negotiation.host, port: negotiation.port, tls: tls, route: countedRoute),
            isRequest: false)
    }

    /// The route with the hop count; nil if it is the default one.
    private var countedRoute: ConnectRoute? {
        guard hopCount > 0 else { return route }
        return (route ?? ConnectRoute()).counting(ConnectRoute(hopCount: hopCount))
    }

    private func policy(serverName: String?, alpn: [String] = ["http/1.1"]) -> TLSPolicy {
        let host =
            switch negotiation.naming {
            case .byNegotiation: negotiation.host
            case .byClient: serverName ?? negotiation.host
            }
        let isVerified = connection.configuration.isVerificationRequired(host, negotiation.port)
        return .proxied(host: host, serverName: serverName, isVerified: isVerified, alpn: alpn)
    }

    /// The name that the server's certificate must match; the certificate shown to the client has
    /// no other name.
    func verifiedName(_ serverName: String?) -> String { policy(serverName: serverName).verifyName }

    /// Whether TLS is intercepted. It is not if either name is on the list of exceptions.
    func isIntercepted(serverName: String?) -> Bool {
        [negotiation.host, serverName].allSatisfy { name in
            guard let name else { return true }
            return connection.configuration.interception(name, negotiation.port)
                == .intercept
        }
    }

    /// Whether the client is told inside of TLS that its server was not reached, instead of in the
    /// answer to its request for a tunnel.
    func isExplainedInside(_ failure: ExchangeFailure) -> Bool {
        guard connection.configuration.explainsInsideTLS, negotiation.canBeExplainedInside,
            failure.origin == .upstream, isIntercepted(serverName: nil)
        else { return false }
        return switch failure.kind {
        case .nameResolution, .connectionRefused, .connectFailed, .timedOut: true
        default: false
        }
    }

    /// Connects to the server of a relayed tunnel.
    func connect(
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        parts.transport.connect(to: plainTarget, completion: completion)
    }

    /// The destination of the requests inside the tunnel.
    func destination(
        scheme: String, serverName: String?, prepared: PreparedConnection?,
        alpn: [String] = ["http/1.1"]
    ) -> InboundDestination {
        prepared?.onServerSpoke = nil
        prepared?.onLost = nil
        return .server(
            TunnelDestination(
                scheme: scheme, host: negotiation.host, port: negotiation.port,
                naming: negotiation.naming, serverName: serverName, alpn: alpn,
                route: countedRoute, prepared: prepared, events: events))
    }

    // MARK: The record

    /// Opens the record of the tunnel itself.
    func openTap() -> ExchangeTap {
        let tap = negotiation.openTap(on: connection)
        for event in events { tap.record(event) }
        return tap
    }

    /// Opens the record of a tunnel whose server was reached.
    func openTap(_ established: EstablishedConnection) -> ExchangeTap {
        let tap = openTap()
        tap.setTimeline { established.timings.write(to: &$0) }
        negotiation.recordEstablished(in: tap)
        tap.setServerConnection(parts.transport.onEstablished?(established))
        return tap
    }

    /// Records that the tunnel failed. The client was told that the tunnel is established, but that
    /// answer is not recorded, because the row would look like a success.
    func recordFailure(_ failure: ExchangeFailure) {
        let tap = openTap()
        let failure = connection.endedByActor(recordingIn: tap) ?? failure
        tap.end(.failed, failure: failure, at: connection.now)
    }
}
