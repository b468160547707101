internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// A CONNECT request: reach the server, say 200, and find out late what the client speaks.
///
/// ```
/// (asking) ──▶ connecting ──refused──▶ 502, closed
///     └──stands──▶ 200, peeking ──TLS, to be read──▶ handshaking ──▶ HTTP over TLS
///                     ├── HTTP ──▶ HTTP1ServerConnection
///                     └── anything else, server speaks first ──▶ TunnelLayer
/// ```
/// A client that stays silent decides nothing: it may be slow, or far away, or have opened the
/// tunnel to have it ready. It is only seen to that the server could speak.
///
/// An intercepted CONNECT has no record of its own unless it fails, so the tap is opened late.
final class ConnectLayer: DuplexStreamDelegate, Supervised {
    /// Octets looked at before giving up telling the protocol: a TLS hello may have 131,396 and
    /// the records around them.
    private static let peekByteCountMax = 256 << 10

    private enum State {
        /// An actor decides whether the server is reached, and how.
        case asking(Decision<ConnectVerdict>)
        case connecting((any Cancellable)?)
        case peeking(PreparedConnection?)
        case handshaking(TLSStream)
        case left
    }

    private let client: any DuplexStream
    private let leg: ClientLeg
    private let worker: ProxyWorker
    private let request: ConnectRequest
    private var state: State = .connecting(nil)
    /// What the client has sent inside the tunnel and nobody has taken.
    private var peeked: [UInt8] = []
    private var helloReader = ClientHelloReader()
    /// Whether the client has let the time pass in which clients that speak first do.
    private var isSilent = false
    /// Whether the rest of a TLS hello or of a request line has been waited for beyond that time.
    private var isRestAwaited = false
    /// Whether the client has ended its side, having sent something.
    private var hasClientEnded = false
    private var isClientPaused = false
    /// Another way to the server than the one its name leads to.
    private var route: ConnectRoute?
    /// At what pace bytes are relayed that are not read; nil for as they come.
    private var pace: (any PaceActor)?

    private(set) var deadline: Int64 = .max
    var registryIndex = -1
    let idleSince: Int64? = nil

    init(
        client: any DuplexStream, leg: ClientLeg, worker: ProxyWorker, request: ConnectRequest
    ) {
        self.client = client
        self.leg = leg
        self.worker = worker
        self.request = request
    }

    // MARK: Connecting

    /// Begins; `early` is what the client sent behind the request without waiting.
    func start(early: Span<UInt8>) {
        keep(early)
        guard let actor = worker.actor else { return reach() }
        let asked = AskedConnection(
            client: leg.id, peer: leg.peer, process: leg.record.process, host: request.host,
            port: request.port, isTunnel: true)
        let decision = Decision<ConnectVerdict>(on: worker.loop) { [weak self] in
            self?.decided($0)
        }
        state = .asking(decision)
        actor.connect(asked, decision)
    }

    private func decided(_ verdict: ConnectVerdict) {
        guard case .asking = state else { return }
        state = .connecting(nil)
        switch verdict {
        case .pass(let route, let pace):
            self.route = route
            self.pace = pace
            reach()
        case .answer(let answer): refuse(.endedByActor, answer: answer)
        case .end(let end): abandon(.endedByActor, end)
        }
    }

    private func reach() {
        // A kept-alive connection to the same server shows that it can be reached.
        if worker.transport.hasIdleConnection(to: expectedTarget) { return answer(nil) }
        let attempt = worker.transport.connect(to: plainTarget) { [weak self] result in
            switch result {
            case .success(let established): self?.connected(established)
            case .failure(let failure): self?.refuse(failure)
            }
        }
        if case .connecting = state { state = .connecting(attempt) }
    }

    /// The target that an interception of the usual kind would use.
    private var expectedTarget: ConnectTarget {
        ConnectTarget(
            host: request.host, port: request.port,
            tls: .proxied(host: request.host, serverName: request.host, isVerified: isVerified),
            route: route)
    }

    private var plainTarget: ConnectTarget {
        ConnectTarget(host: request.host, port: request.port, tls: nil, route: route)
    }

    private var isVerified: Bool {
        worker.configuration.isVerificationRequired(request.host, request.port)
    }

    private func connected(_ established: EstablishedConnection) {
        guard case .connecting = state else { return established.stream.abort() }
        answer(PreparedConnection(established))
    }

    private func refuse(_ failure: ExchangeFailure) {
        guard case .connecting = state else { return }
        let response = LocalResponse.badGateway(failure)
        client.write(response.octets(requestMethod: .connect, isPersistent: false).span)
        let tap = request.openTap(leg: leg, worker: worker)
        response.record(in: tap)
        worker.close(tap, .failed, failure: failure)
        leave()
        client.close()
    }

    /// Answers the CONNECT in the server's place.
    private func refuse(_ failure: ExchangeFailure, answer: ExchangeAnswer) {
        let message = ForwardedResponse(
            head: answer.head, body: .exactly(UInt64(answer.body.count)))
        let recipient = HTTP1Recipient(
            version: request.head.version, requestMethod: .connect, isPersistent: false)
        var octets: [UInt8] = []
        HTTP1HeadWriter.write(message, to: recipient, into: &octets)
        client.write(octets)
        if !answer.head.isBodiless(to: .connect) { client.write(answer.body) }
        let tap = request.openTap(leg: leg, worker: worker)
        tap.setResponse(answer.head)
        tap.appendResponseBody(answer.body.span)
        worker.close(tap, .failed, failure: failure)
        leave()
        client.close()
    }

    private func abandon(_ failure: ExchangeFailure, _ end: ExchangeEnd) {
        let tap = request.openTap(leg: leg, worker: worker)
        worker.close(tap, .failed, failure: failure)
        leave()
        switch end {
        case .close: client.close()
        case .reset: client.abort()
        }
    }

    /// Tells the client that the tunnel stands, and waits for its first octets.
    private func answer(_ prepared: PreparedConnection?) {
        client.write(ConnectRequest.established.octets)
        if isClientPaused { client.resumeReading() }
        peek(prepared)
    }

    private func peek(_ prepared: PreparedConnection?) {
        state = .peeking(prepared)
        let isWaiting = isSilent && peeked.isEmpty
        deadline =
            worker.now
            &+ (isWaiting
                ? worker.configuration.tunnelIdleTimeoutNs : worker.configuration.peekTimeoutNs)
        prepared?.onServerSpoke = { [weak self] octets in
            self?.tunnel(fromServer: octets.withUnsafeBufferPointer { Array($0) })
        }
        prepared?.onLost = { [weak self] in self?.serverLeft() }
        decide()
        tunnelIfEnded()
    }

    // MARK: Peeking

    func stream(_ stream: any DuplexStream, didReceive octets: Span<UInt8>) {
        keep(octets)
        guard case .peeking = state else { return }
        if isSilent, peeked.count == octets.count {
            deadline = worker.now &+ worker.configuration.peekTimeoutNs
        }
        decide()
    }

    private func keep(_ octets: Span<UInt8>) {
        octets.withUnsafeBufferPointer { peeked.append(contentsOf: $0) }
        guard peeked.count >= ConnectLayer.peekByteCountMax, !isClientPaused else { return }
        isClientPaused = true
        client.pauseReading()
    }

    private func decide() {
        switch TunnelProtocol.detect(peeked.span, &helloReader) {
        case .undecided where peeked.count < ConnectLayer.peekByteCountMax: break
        // A hello in records of a few octets: OpenSSL reads on.
        case .undecided where isHelloBegun: takeUp(serverName: nil)
        case .tls(let serverName): takeUp(serverName: serverName)
        case .http: readHTTP()
        case .undecided, .opaque: tunnel()
        }
    }

    /// Whether what the client has sent is the beginning of a TLS hello.
    private var isHelloBegun: Bool { !peeked.isEmpty && helloReader.isUnderWay }

    private func takeUp(serverName: String?) {
        if interception(serverName) == .intercept {
            intercept(serverName)
        } else {
            tunnel(serverName: serverName)
        }
    }

    /// Either name may be on the list of what is not to be read.
    private func interception(_ serverName: String?) -> EngineConfiguration.Interception {
        let configuration = worker.configuration
        if configuration.interception(request.host, request.port) == .passThrough {
            return .passThrough
        }
        return serverName.map { configuration.interception($0, request.port) } ?? .intercept
    }

    func deadlinePassed(now: Int64) {
        guard case .peeking(let prepared) = state else { return }
        if !peeked.isEmpty {
            // The rest of a hello or request may be held up; others would have told what they are.
            let isRead = interception(nil) == .intercept
            let isRequest = TunnelProtocol.isRequestBegun(peeked.span)
            guard isRead, isHelloBegun || isRequest else { return tunnel() }
            guard !isRestAwaited else {
                return isRequest ? readHTTP() : failHandshake(.helloTimedOut, prepared)
            }
            isRestAwaited = true
            deadline = now &+ worker.configuration.handshakeTimeoutNs
        } else if !isSilent {
            isSilent = true
            deadline = now &+ worker.configuration.tunnelIdleTimeoutNs
            if prepared == nil { reconnect { $0.peek($1) } }
        } else {
            endUnused(prepared)
        }
    }

    private func serverLeft() {
        guard case .peeking = state else { return }
        if isSilent, peeked.isEmpty { return endUnused(nil) }
        // The client is yet to speak; it will find out from whatever layer comes next.
        state = .peeking(nil)
    }

    // MARK: Becoming HTTP

    private func readHTTP() {
        guard case .peeking(let prepared) = state else { return }
        let layer = HTTP1ServerConnection(
            stream: client, leg: leg, worker: worker,
            destination: .server(tunnelDestination("http", nil, prepared)))
        leave(replacedBy: layer)
        client.delegate = layer
        deliverPeeked(to: layer, over: client)
        passEnd(to: layer)
    }

    private func tunnelDestination(
        _ scheme: String, _ serverName: String?, _ prepared: PreparedConnection?
    ) -> TunnelDestination {
        prepared?.onServerSpoke = nil
        prepared?.onLost = nil
        return TunnelDestination(
            scheme: scheme, host: request.host, port: request.port, serverName: serverName,
            route: route, prepared: prepared)
    }

    private func deliverPeeked(to layer: HTTP1ServerConnection, over stream: any DuplexStream) {
        let octets = peeked
        peeked = []
        if isClientPaused { stream.resumeReading() }
        if !octets.isEmpty { layer.stream(stream, didReceive: octets.span) }
    }

    // MARK: Becoming TLS

    private func intercept(_ serverName: String?) {
        guard case .peeking(let prepared) = state else { return }
        let context: TLSServerContext
        do {
            context = try worker.leaves.serverContext(for: verifiedName(serverName))
        } catch {
            return failHandshake(.leafNotMade("\(error)"), prepared)
        }
        let octets = peeked
        peeked = []
        deadline = .max
        let destination = tunnelDestination("https", serverName, prepared)
        if isClientPaused { client.resumeReading() }
        let stream = TLSStream(
            server: context, over: client, alreadyReceived: octets,
            handshakeTimeoutNs: worker.configuration.handshakeTimeoutNs
        ) { [weak self] result in
            switch result {
            case .success(let facts): self?.handshakeDone(facts, destination)
            case .failure(let error): self?.failHandshake(.clientHandshake(error), prepared)
            }
        }
        state = .handshaking(stream)
        stream.delegate = self
        stream.start()
    }

    /// Whom the server's certificate must be for: what is shown to the client says no more.
    private func verifiedName(_ serverName: String?) -> String {
        TLSPolicy.proxied(host: request.host, serverName: serverName, isVerified: isVerified)
            .verifyName
    }

    private func handshakeDone(_ facts: TLSFacts, _ destination: TunnelDestination) {
        guard case .handshaking(let stream) = state else { return }
        leg.tlsDoneAt = worker.now
        leg.setSecurity(ConnectionRecord.Security(of: facts))
        let layer = HTTP1ServerConnection(
            stream: stream, leg: leg, worker: worker, destination: .server(destination))
        leave(replacedBy: layer)
        stream.delegate = layer
        deliverPeeked(to: layer, over: stream)
    }

    private func failHandshake(_ failure: ExchangeFailure, _ prepared: PreparedConnection?) {
        if case .left = state { return }
        // The client was told 200, but nothing came of it: a row that says so would look well.
        let tap = request.openTap(leg: leg, worker: worker)
        prepared?.discard()
        worker.close(tap, .failed, failure: failure)
        leave()
        client.close()
    }

    // MARK: Becoming a tunnel

    private func tunnel(fromServer octets: [UInt8] = [], serverName: String? = nil) {
        guard case .peeking(let prepared) = state else { return }
        if let serverName { leg.noteServerName(serverName) }
        guard let established = prepared?.take() else {
            return reconnect { layer, prepared in
                layer.state = .peeking(prepared)
                layer.tunnel()
            }
        }
        let tap = openTap(established)
        let layer = TunnelLayer(
            client: client, server: established.stream, worker: worker, tap: tap, pace: pace)
        leave(replacedBy: layer)
        client.delegate = layer
        let fromClient = peeked
        peeked = []
        layer.start(fromClient: fromClient.span, fromServer: octets.span)
        passEnd(to: layer)
    }

    /// The tap of a tunnel whose server was reached.
    private func openTap(_ established: EstablishedConnection) -> ExchangeTap {
        let tap = request.openTap(leg: leg, worker: worker)
        tap.setTimeline { established.timings.write(to: &$0) }
        tap.setResponse(ConnectRequest.established)
        tap.setServerConnection(worker.transport.onEstablished?(established))
        return tap
    }

    /// The connection was never made, as a kept-alive one showed that it could be, or is gone: make
    /// one.
    private func reconnect(
        then proceed: @escaping (ConnectLayer, PreparedConnection) -> Void
    ) {
        deadline = .max
        let attempt = worker.transport.connect(to: plainTarget) { [weak self] result in
            guard let self, case .connecting = self.state else { return }
            switch result {
            case .success(let established): proceed(self, PreparedConnection(established))
            case .failure(let failure): self.failHandshake(failure, nil)
            }
        }
        if case .peeking = state { state = .connecting(attempt) }
    }

    // MARK: Endings

    private func leave(replacedBy layer: (any Supervised)? = nil) {
        state = .left
        deadline = .max
        if let layer {
            worker.clients.replace(self, with: layer)
        } else {
            worker.clients.remove(self)
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        // What the client sent before it ended is delivered all the same (RFC 9110 §9.3.6).
        guard !peeked.isEmpty, !isHandshaking else { return abandon(.clientClosed) }
        hasClientEnded = true
        tunnelIfEnded()
    }

    private var isHandshaking: Bool {
        if case .handshaking = state { true } else { false }
    }

    /// No further octet will tell what an ended client speaks.
    private func tunnelIfEnded() {
        if hasClientEnded, case .peeking = state { tunnel() }
    }

    /// Tells the next layer of an end that came before it was there.
    private func passEnd(to layer: any DuplexStreamDelegate) {
        if hasClientEnded { layer.streamDidReachEnd(client, isClean: true) }
    }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        abandon(.clientClosed)
    }

    /// Gives up before the tunnel carries anything.
    private func abandon(_ failure: ExchangeFailure) {
        switch state {
        case .asking(let decision):
            decision.withdraw()
            abandon(failure, .reset)
        case .connecting(let attempt):
            attempt?.cancel()
            let tap = request.openTap(leg: leg, worker: worker)
            worker.close(tap, .failed, failure: failure)
            leave()
            client.abort()
        case .peeking(let prepared) where isSilent && peeked.isEmpty: endUnused(prepared)
        case .peeking(let prepared): failHandshake(failure, prepared)
        case .handshaking, .left: break
        }
    }

    /// Ends a tunnel that stood and carried nothing.
    private func endUnused(_ prepared: PreparedConnection?) {
        let established = prepared?.take()
        let tap = established.map(openTap) ?? request.openTap(leg: leg, worker: worker)
        if established == nil { tap.setResponse(ConnectRequest.established) }
        established?.stream.close()
        worker.close(tap, .tunnel)
        leave()
        client.close()
    }

    func drain() {
        if case .peeking(let prepared) = state, isSilent, peeked.isEmpty { endUnused(prepared) }
    }

    func terminate(_ reason: TerminationReason) {
        if case .handshaking = state { return failHandshake(.terminated(reason), nil) }
        abandon(.terminated(reason))
    }
}
