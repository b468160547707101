internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// Tells a client inside of its TLS why its server was not reached. Clients do not show the answer
/// to a CONNECT, so this one gets 200 first. The record has the 502 that it would have got.
///
/// ```
/// peeking ──ClientHello──▶ handshaking ──▶ reading ──a request's head──▶ draining ──▶ left
///    └── anything else, nothing in time ──▶ left
/// ```
final class TunnelExplanation: DuplexStreamDelegate, ClientLayer {
    private enum State {
        case peeking
        case handshaking(TLSStream)
        case reading(TLSStream, RequestDecoder)
        /// The answer was sent; what still comes is dropped, so that the client reads it.
        case draining(TLSStream)
        case left
    }

    private let tunnel: ClientTunnel
    private let failure: ExchangeFailure
    private var state = State.peeking
    private var ahead = EarlyTunnelBytes()
    private var helloReader = ClientHelloReader()

    private(set) var deadline: Int64 = .max
    var registryIndex = -1
    let idleSince: Int64? = nil

    init(_ tunnel: ClientTunnel, _ failure: ExchangeFailure) {
        self.tunnel = tunnel
        self.failure = failure
    }

    private var client: any DuplexStream { tunnel.client }
    private var connection: ClientConnection { tunnel.connection }

    func start(over stream: any DuplexStream, early: Span<UInt8>) {
        deadline = connection.now &+ connection.configuration.peekTimeoutNs
        stream.delegate = self
        ahead.keep(early, from: client)
        peek()
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        switch state {
        case .peeking:
            ahead.keep(bytes, from: client)
            peek()
        case .reading(let tls, let decoder): read(bytes, tls, decoder)
        case .handshaking, .draining, .left: break
        }
    }

    private func peek() {
        switch TunnelProtocol.detect(ahead.bytes.span, &helloReader) {
        case .undecided where !ahead.isFull: break
        case .tls(let serverName, _) where tunnel.isIntercepted(serverName: serverName):
            shakeHands(serverName)
        case .undecided, .tls, .http, .opaque: leave()
        }
    }

    private func shakeHands(_ serverName: String?) {
        guard
            let context = try? tunnel.parts.leaves.serverContext(
                for: tunnel.verifiedName(serverName))
        else { return leave() }
        deadline = .max
        let tls = TLSStream(
            server: context, over: client, alreadyReceived: ahead.take(from: client).bytes,
            alpn: ["http/1.1"],
            handshakeTimeoutNs: connection.configuration.handshakeTimeoutNs
        ) { [weak self] result in
            switch result {
            case .success: self?.expectRequest()
            case .failure: self?.leave()
            }
        }
        state = .handshaking(tls)
        tls.start()
    }

    private func expectRequest() {
        guard case .handshaking(let tls) = state else { return }
        deadline = connection.now &+ connection.configuration.headTimeoutNs
        state = .reading(tls, RequestDecoder(limits: connection.configuration.wireLimits))
        tls.delegate = self
    }

    private func read(_ bytes: Span<UInt8>, _ tls: TLSStream, _ given: RequestDecoder) {
        var decoder = given
        var offset = 0
        do throws(WireError) {
            let decoded = try decoder.decode(bytes, from: &offset)
            guard case .head(let head, _) = decoded else {
                return state = .reading(tls, decoder)
            }
            answer(LocalResponse.badGateway(failure), to: head.method, over: tls)
        } catch {
            answer(LocalResponse.badRequest(error), to: .get, over: tls)
        }
    }

    private func answer(_ response: LocalResponse, to method: HTTPMethod, over tls: TLSStream) {
        state = .draining(tls)
        deadline = connection.now &+ connection.configuration.handshakeTimeoutNs
        tls.write(response.bytes(requestMethod: method, isPersistent: false))
        tls.shutdownWriting()
    }

    private func leave() {
        let stream: any DuplexStream
        switch state {
        case .peeking: stream = client
        case .handshaking(let tls), .reading(let tls, _), .draining(let tls): stream = tls
        case .left: return
        }
        state = .left
        deadline = .max
        connection.clients.remove(self)
        stream.close()
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { leave() }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) { leave() }

    func deadlinePassed(now: Int64) { leave() }

    func drain() { leave() }

    func terminate(_ reason: TerminationReason) { leave() }
}
