internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTLS
internal import ProxydTransport

/// The TLS handshake with a client whose tunnel is intercepted: the client is shown a certificate
/// that the proxy issued for the server, and HTTP follows.
///
/// Bytes that arrive with the handshake's end wait in the TLS stream until HTTP takes over.
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

    private var connection: ClientConnection { tunnel.connection }

    func start(over stream: any DuplexStream, early: Span<UInt8>) {
        guard case .created(let context) = state else { return }
        let destination = tunnel.destination(
            scheme: "https", serverName: serverName, prepared: prepared,
            alpn: offered.offered(after: spoken))
        let tls = TLSStream(
            server: context, over: stream, alreadyReceived: early.array,
            alpn: ProtocolOffer.answer(spoken),
            handshakeTimeoutNs: connection.configuration.handshakeTimeoutNs
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
        connection.tlsDoneAt = connection.now
        connection.setSecurity(ConnectionRecord.Security(of: facts))
        let layer = tunnel.parts.httpLayer(
            facts.alpn == "h2" ? .http2 : .http1, over: stream, on: connection, to: destination)
        state = .left
        connection.clients.replace(self, with: layer, over: stream)
    }

    private func fail(_ failure: ExchangeFailure) {
        if case .left = state { return }
        state = .left
        tunnel.recordFailure(failure)
        prepared?.discard()
        connection.clients.remove(self)
        tunnel.client.close()
    }

    func deadlinePassed(now: Int64) {}

    func drain() {}

    func terminate(_ reason: TerminationReason) { fail(.terminated(reason)) }
}

/// The protocols in a client's ALPN offer (RFC 7301) that the proxy speaks, in the client's order.
struct ProtocolOffer {
    let names: [String]

    init(_ alpn: [String]) {
        names = alpn.reduce(into: []) { names, name in
            guard name == "h2" || name == "http/1.1", !names.contains(name) else { return }
            names.append(name)
        }
    }

    var hasHTTP2: Bool { names.contains("h2") }

    /// The protocol that the client prefers.
    var first: SpokenProtocol { names.first == "h2" ? .http2 : .http1 }

    /// The ALPN answer to the client, after what the server speaks.
    static func answer(_ spoken: SpokenProtocol) -> [String] {
        switch spoken {
        case .http2: ["h2"]
        case .http1: ["http/1.1"]
        case .unsaid: []
        }
    }

    /// The protocols to offer to the server on later connections: those compatible with its first
    /// choice, so that it does not choose one that the client was not told of.
    func offered(after spoken: SpokenProtocol) -> [String] {
        spoken == .http2 ? names : ["http/1.1"]
    }
}
