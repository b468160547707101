internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTLS
internal import ProxydTransport

/// The TLS handshake with a client whose tunnel is intercepted: the client is shown a certificate
/// that the proxy issued for the server, and HTTP follows.
///
/// Bytes that arrive with the end of the handshake wait in the TLS stream until HTTP is its
/// delegate.
final class TLSInterception: ClientLayer {
    private enum State {
        case created(TLSServerContext)
        case handshaking(TLSStream)
        case left
    }

    private let tunnel: ClientTunnel
    private let serverName: String?
    private let prepared: PreparedConnection?
    private let spoken: SpokenProtocol
    private let offered: ProtocolOffer
    private var state: State

    /// Never: the TLS stream has its own handshake timeout.
    let deadline: Int64 = .max
    var registryIndex = -1
    let idleSince: Int64? = nil

    /// - Parameters:
    ///   - spoken: the protocol that the server speaks, which the client therefore gets.
    ///   - offered: the protocols that the client offers.
    init(
        _ tunnel: ClientTunnel, _ context: TLSServerContext, serverName: String?,
        prepared: PreparedConnection?, spoken: SpokenProtocol, offered: ProtocolOffer
    ) {
        self.tunnel = tunnel
        state = .created(context)
        self.serverName = serverName
        self.prepared = prepared
        self.spoken = spoken
        self.offered = offered
    }

    private var worker: ProxyWorker { tunnel.worker }

    func start(over stream: any DuplexStream, early: Span<UInt8>) {
        guard case .created(let context) = state else { return }
        let destination = tunnel.destination(
            scheme: "https", serverName: serverName, prepared: prepared,
            alpn: offered.offered(after: spoken))
        let tls = TLSStream(
            server: context, over: stream,
            alreadyReceived: early.array,
            alpn: ProtocolOffer.answer(spoken),
            handshakeTimeoutNs: worker.configuration.handshakeTimeoutNs
        ) { [weak self] result in
            switch result {
            case .success(let facts): self?.done(facts, destination)
            case .failure(let error): self?.fail(.clientHandshake(error))
            }
        }
        state = .handshaking(tls)
        tls.start()
    }

    private func done(_ facts: TLSFacts, _ destination: InboundDestination) {
        guard case .handshaking(let stream) = state else { return }
        tunnel.connection.tlsDoneAt = worker.now
        tunnel.connection.setSecurity(ConnectionRecord.Security(of: facts))
        let layer = worker.http.layer(
            facts.alpn == "h2" ? .http2 : .http1, over: stream, on: tunnel.connection,
            worker: worker, to: destination)
        state = .left
        worker.clients.replace(self, with: layer, over: stream)
    }

    private func fail(_ failure: ExchangeFailure) {
        if case .left = state { return }
        state = .left
        tunnel.recordFailure(failure)
        prepared?.discard()
        worker.clients.remove(self)
        tunnel.client.close()
    }

    func deadlinePassed(now: Int64) {}

    func drain() {}

    func terminate(_ reason: TerminationReason) { fail(.terminated(reason)) }
}
