internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTLS
internal import ProxydTransport

/// A tunnel that a client negotiated: what stays the same of it from layer to layer.
///
/// ```
/// TunnelOpening ──▶ TunnelSniffer ──TLS, to be read──▶ TLSInterception ──▶ HTTP over TLS
///                        ├── HTTP ──▶ HTTP
///                        └── anything else ──▶ TunnelLayer
/// ```
/// A tunnel that is read has no record of its own unless it fails, so its tap is opened late.
struct ClientTunnel {
    /// Whether a server is needed.
    enum ServerNeed {
        case needed
        /// Requests that go on will reach it; what is not read is relayed.
        case later
        /// Requests that go on will reach it; what is not read is not relayed.
        case laterIfRead
    }

    private(set) var client: any DuplexStream
    let connection: ClientConnection
    let worker: ProxyWorker
    let negotiation: any Negotiation
    /// Another way to the server than the one its name leads to.
    var route: ConnectRoute?
    /// At what pace the client's bytes go once it stands; nil for as they come.
    var pace: (any PaceActor)?
    /// Whether its server has to be reached before it stands.
    var server = ServerNeed.needed
    /// What was done to it before it had a record. Where it is read, each request's has it.
    var events: [ExchangeEvent] = []

    init(
        client: any DuplexStream, connection: ClientConnection, worker: ProxyWorker,
        negotiation: any Negotiation
    ) {
        self.client = client
        self.connection = connection
        self.worker = worker
        self.negotiation = negotiation
    }

    /// Puts the pace under all that follows, where there is one.
    mutating func beginPace(_ ahead: inout SentAhead) {
        guard let pace else { return }
        let paced = PacedStream(client, of: connection, on: worker, at: pace)
        paced.start()
        ahead.move(from: client, to: paced)
        client = paced
    }

    // MARK: The server

    /// The server as a tunnel reaches it.
    var plainTarget: ConnectTarget { target(tls: nil) }

    /// The server as an interception reaches it, offering protocols.
    func interceptedTarget(_ serverName: String?, alpn: [String]) -> ConnectTarget {
        target(tls: policy(serverName: serverName, alpn: alpn))
    }

    /// Whether a connection of the usual kinds shows that the server can be reached.
    var isKnownToBeReached: Bool {
        [["http/1.1"], ["h2", "http/1.1"]].contains { alpn in
            worker.transport.hasIdleConnection(
                to: interceptedTarget(negotiation.host, alpn: alpn))
        }
    }

    private func target(tls: TLSPolicy?) -> ConnectTarget {
        ConnectTarget(host: negotiation.host, port: negotiation.port, tls: tls, route: route)
    }

    private func policy(serverName: String?, alpn: [String] = ["http/1.1"]) -> TLSPolicy {
        let isVerified = worker.configuration.isVerificationRequired(
            negotiation.host, negotiation.port)
        return .proxied(
            host: negotiation.host, serverName: serverName, isVerified: isVerified, alpn: alpn)
    }

    /// Whom the server's certificate must be for: what is shown to the client says no more.
    func verifiedName(_ serverName: String?) -> String { policy(serverName: serverName).verifyName }

    /// Whether TLS is to be read. Either name may be on the list of what is not.
    func isIntercepted(serverName: String?) -> Bool {
        [negotiation.host, serverName].allSatisfy { name in
            guard let name else { return true }
            return worker.configuration.interception(name, negotiation.port) == .intercept
        }
    }

    /// Makes a connection to the server.
    func connect(
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        worker.transport.connect(to: plainTarget, completion: completion)
    }

    /// Where the requests in the tunnel go.
    func destination(
        scheme: String, serverName: String?, prepared: PreparedConnection?,
        alpn: [String] = ["http/1.1"]
    ) -> InboundDestination {
        prepared?.onServerSpoke = nil
        prepared?.onLost = nil
        return .server(
            TunnelDestination(
                scheme: scheme, host: negotiation.host, port: negotiation.port,
                serverName: serverName, alpn: alpn, route: route, prepared: prepared,
                events: events))
    }

    // MARK: The record

    /// Opens the record of the tunnel itself.
    func openTap() -> ExchangeTap {
        let tap = negotiation.openTap(on: connection, worker: worker)
        for event in events { tap.record(event) }
        return tap
    }

    /// Opens the record of a tunnel whose server was reached.
    func openTap(_ established: EstablishedConnection) -> ExchangeTap {
        let tap = openTap()
        tap.setTimeline { established.timings.write(to: &$0) }
        negotiation.recordEstablished(in: tap)
        tap.setServerConnection(worker.transport.onEstablished?(established))
        return tap
    }

    /// Records that nothing came of the tunnel. The client was told that it stands, but a row that
    /// says so would look well.
    func recordFailure(_ failure: ExchangeFailure) {
        let tap = openTap()
        let failure = connection.endedByActor(recordingIn: tap) ?? failure
        worker.close(tap, .failed, failure: failure)
    }
}
