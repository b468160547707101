internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydMessages
internal import ProxydTLS
internal import ProxydTransport

/// The TLS handshake with a client of a reverse listener, after which its requests follow.
///
/// ```
/// peeking ──hello──▶ handshaking ──▶ HTTP
///    └── no TLS, ended, too slow ──▶ left
/// ```
final class ReverseHandshake: DuplexStreamDelegate, ClientLayer {
    private enum State {
        /// The server name that the client asks for is not known yet.
        case peeking
        case handshaking(TLSStream)
        case left
    }

    private let stream: any DuplexStream
    private let connection: ClientConnection
    private let tunnels: TunnelParts
    private let service: ReverseService
    private var state = State.peeking
    private var ahead = EarlyTunnelBytes()
    private var helloReader = ClientHelloReader()
    private var firstByteAt: Int64?

    private(set) var deadline: Int64
    var registryIndex = -1

    init(
        stream: any DuplexStream, connection: ClientConnection, tunnels: TunnelParts,
        service: ReverseService
    ) {
        self.stream = stream
        self.connection = connection
        self.tunnels = tunnels
        self.service = service
        deadline = connection.now &+ connection.configuration.handshakeTimeoutNs
    }

    var idleSince: Int64? { firstByteAt == nil ? connection.acceptedAt : nil }

    // MARK: The client's hello

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        guard case .peeking = state else { return }
        if firstByteAt == nil { firstByteAt = connection.now }
        ahead.keep(bytes, from: stream)
        switch TunnelProtocol.detect(ahead.bytes.span, &helloReader) {
        case .undecided where !ahead.isFull: break
        // OpenSSL says what is wrong with a hello that cannot be read.
        case .undecided: handshake(serverName: nil, alpn: [])
        case .tls(let serverName, let alpn): handshake(serverName: serverName, alpn: alpn)
        case .http: refuseHTTP()
        case .opaque: fail(.noTLS)
        }
    }

    private func handshake(serverName: String?, alpn: [String]) {
        let destination = InboundDestination.reverse(
            ReverseDestination(
                service: service, scheme: "https", address: stream.localAddress.description,
                for: connection))
        // The client's settings depend on the server's, which may come during the handshake.
        if alpn.contains("h2"), let server = destination.http2Target(for: connection) {
            tunnels.transport.learnExtendedConnect(by: server)
        }
        let context: TLSServerContext
        do {
            context = try self.context(serverName)
        } catch {
            return fail(.leafNotMade("\(error)"))
        }
        let tls = TLSStream(
            server: context, over: stream, alreadyReceived: ahead.take(from: stream).bytes,
            alpn: ["h2", "http/1.1"],
            handshakeTimeoutNs: connection.configuration.handshakeTimeoutNs
        ) { [weak self] result in
            switch result {
            case .success(let facts): self?.done(facts, destination)
            case .failure(let error): self?.fail(.clientHandshake(error))
            }
        }
        // From now on the TLS stream has a timeout of its own.
        deadline = .max
        state = .handshaking(tls)
        tls.start()
        if ahead.hasEnded { tls.streamDidReachEnd(stream, isClean: true) }
    }

    private func context(_ serverName: String?) throws(TLSError) -> TLSServerContext {
        switch service.clientTLS {
        case .certificate(let inForce): inForce()
        case .authority(let name):
            try tunnels.leaves.serverContext(for: serverName ?? name ?? stream.localAddress.ip)
        case .none: throw TLSError(kind: .configuration, message: "the listener has no TLS")
        }
    }

    private func done(_ facts: TLSFacts, _ destination: InboundDestination) {
        guard case .handshaking(let tls) = state else { return }
        connection.tlsDoneAt = connection.now
        connection.setSecurity(ConnectionRecord.Security(of: facts))
        let layer = tunnels.httpLayer(
            facts.alpn == "h2" ? .http2 : .http1, over: tls, on: connection, to: destination)
        state = .left
        connection.clients.replace(self, with: layer, over: tls)
    }

    // MARK: Endings

    private func refuseHTTP() {
        stream.write(LocalResponse.noTLS.bytes(requestMethod: .get, isPersistent: false))
        fail(.noTLS, answering: .noTLS)
    }

    private func fail(_ failure: ExchangeFailure, answering response: LocalResponse? = nil) {
        if case .left = state { return }
        let tap = connection.openTap(firstByteAt: firstByteAt ?? connection.now)
        tap.begin(malformed: HiddenCredentials.hidden(in: ahead.bytes))
        response?.record(in: tap, to: .get)
        tap.end(.failed, failure: failure, at: connection.now)
        leave()
    }

    private func leave() {
        state = .left
        deadline = .max
        connection.clients.remove(self)
        stream.close()
    }

    /// A connection without any byte is not recorded: browsers open some in advance.
    private func end(_ failure: ExchangeFailure) {
        if case .left = state { return }
        if firstByteAt == nil { leave() } else { fail(failure) }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { end(.clientClosed) }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) { end(.clientClosed) }

    func deadlinePassed(now: Int64) { end(.helloTimedOut) }

    func drain() { if firstByteAt == nil { end(.shutdown) } }

    func terminate(_ reason: TerminationReason) { end(.terminated(reason)) }
}

extension ExchangeFailure {
    fileprivate static let noTLS = ExchangeFailure(
        origin: .client, kind: .malformedRequest,
        message: "the client does not speak TLS, which this listener requires")
}
