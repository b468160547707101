internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Forwards one request to its server and the response to the client, with a copy for the tap. It
/// does not depend on an HTTP version: the client's side is a `ClientStream`, the server's a
/// `ClientExchange`.
///
/// ```
/// response: awaited ──final head──▶ (held) ──▶ streaming ──end──▶ finished
///              └── failure: our own answer ──▶ finished ◀── failure: cut short ──┘
/// ```
/// If an actor acts on the exchange, its messages are held while the actor decides
/// (`ExchangeRelay+Acting`). Bytes are forwarded as they come, in both directions; each side is
/// paused while the other, or the recorder, cannot keep up.
final class ExchangeRelay: ClientExchangeDelegate {
    enum ResponseState {
        case awaited
        /// It has started to arrive and waits for an actor; the client has received none of it.
        case held
        case streaming
        case finished
    }

    enum Upstream {
        case none
        /// The request waits for an actor.
        case held
        case open(ClientExchange)
    }

    /// The client's side, which in turn retains the relay until the exchange ends.
    let client: any ClientStream
    let worker: ProxyWorker
    let tap: ExchangeTap
    /// Replaces references to the server in its response; nil to forward them as they are.
    let references: BackReferences?
    var upstream: Upstream = .none
    var response: ResponseState = .awaited
    /// The messages that an actor may act on; nil if no actor acts on the host.
    private(set) var held: HeldMessages?
    private var hasClientEnded = false
    private var requestTrailers: HeaderFields?
    var responseTrailers: HeaderFields?
    private var upstreamPauses: PauseReasons = []
    /// When the exchange is given up if nothing happens, on the monotonic clock.
    private var ownDeadline: Int64

    init(
        client: any ClientStream, worker: ProxyWorker, tap: ExchangeTap,
        references: BackReferences? = nil
    ) {
        self.client = client
        self.worker = worker
        self.tap = tap
        self.references = references
        ownDeadline = worker.now &+ worker.configuration.bodyIdleTimeoutNs
    }

    /// The deadline does not run while an actor decides, unless the client may have left.
    var deadline: Int64 {
        guard let held, held.isUndecided, !hasClientEnded else { return ownDeadline }
        return .max
    }

    // MARK: What comes from the client

    func start(_ request: consuming OutgoingRequest, prepared: PreparedConnection?) {
        if let actor = worker.actor, actor.mayAct(onHost: request.message.url.host) {
            let held = HeldMessages(actor)
            self.held = held
            return hold(request, prepared: prepared, in: held)
        }
        open(request, prepared: prepared)
    }

    /// Sends the request to its server.
    func open(_ request: consuming OutgoingRequest, prepared: PreparedConnection?) {
        // Requests are moved, not copied.
        guard worker.hasRoutes else { return send(request, prepared) }
        send(routed(request, prepared), prepared)
    }

    func send(_ request: consuming OutgoingRequest, _ prepared: PreparedConnection?) {
        if request.message.head.fields.authenticateConnection { client.bind(to: request.target) }
        upstream = .open(
            worker.transport.send(
                request, prepared: prepared, affinity: client.affinity, frames: tap.frames,
                delegate: self))
    }

    /// Takes a piece of the request body.
    func receive(body bytes: Span<UInt8>) {
        let now = worker.now
        bodyMoved(now: now)
        tap.appendRequestBody(bytes, at: now)
        switch upstream {
        case .open(let exchange):
            if let flow = held?.upstreamFlow {
                flow.push(bytes)
            } else {
                send(bytes, to: exchange)
            }
        case .held: hold(requestBody: bytes)
        case .none: return
        }
        pauseForRecorder()
    }

    func send(_ bytes: Span<UInt8>, to exchange: ClientExchange) {
        exchange.sendBody(bytes)
        if exchange.isCongested { client.setPaused(.slowPeer, true) }
    }

    func receive(trailers: HeaderFields) {
        requestTrailers = trailers.hasProxyCredentials ? trailers.withoutProxyCredentials : trailers
    }

    /// The last byte of the request has arrived.
    func requestEnded() {
        let now = worker.now
        awaitResponse(now: now)
        tap.mark(.requestLastByte, at: now)
        tap.endRequest(trailers: requestTrailers, at: now)
        switch upstream {
        case .open(let exchange): finishBody(of: exchange, trailers: requestTrailers)
        case .held: holdRequestEnd(trailers: requestTrailers)
        case .none: break
        }
    }

    func finishBody(of exchange: ClientExchange, trailers: HeaderFields?) {
        guard let flow = held?.upstreamFlow else { return exchange.finishBody(trailers: trailers) }
        flow.whenGone { [weak self] in
            guard let self else { return }
            awaitResponse(now: worker.now)
            exchange.finishBody(trailers: trailers)
        }
    }

    /// The request is complete: from now on the server's response timeout runs.
    func awaitResponse(now: Int64) {
        guard isResponseAwaited else { return }
        ownDeadline = now &+ worker.configuration.responseTimeoutNs
        if hasClientEnded { shortenDeadline() }
    }

    /// The client's bytes stopped being valid HTTP in the middle of the body.
    func requestBroke(_ error: WireError) {
        giveUp(.malformed(error), answer: .badRequest(error))
    }

    /// The client ended its side after a complete request. It may have left, and the server should
    /// not work on its request for no one. A response that is already streaming continues: the
    /// client may still be reading it, and if it has left, writing will fail.
    func clientEnded() {
        hasClientEnded = true
        if !hasBegunToAnswer { shortenDeadline() }
    }

    /// The client ended its side while part of its request has not been read. If the request waits
    /// for an actor, that may take long; otherwise the end will be read soon.
    func clientEndedAhead() {
        if case .held = upstream { clientEnded() }
    }

    private func shortenDeadline() {
        limitDeadline(to: worker.now &+ worker.configuration.halfClosedTimeoutNs)
    }

    func limitDeadline(to latest: Int64) { ownDeadline = min(ownDeadline, latest) }

    /// Body bytes arrived, or the server started to answer: from now on only a pause times out.
    func bodyMoved(now: Int64) { ownDeadline = now &+ worker.configuration.bodyIdleTimeoutNs }

    /// Whether any of the response was sent to the client; what waits for an actor was not.
    private var hasBegunToAnswer: Bool {
        switch response {
        case .awaited, .held: false
        case .streaming, .finished: true
        }
    }

    /// Whether the server has not started to answer.
    var isResponseAwaited: Bool {
        if case .awaited = response { true } else { false }
    }

    // MARK: Endings

    /// The client has left.
    func clientVanished() {
        let failure = client.connection.endedByActor(recordingIn: tap) ?? .clientClosed
        giveUpUpstream(failure)
        cutShort(failure, .clientGone)
    }

    /// The client reset its stream: the server's stream is reset with the same code.
    func clientReset(_ code: HTTP2ErrorCode, _ failure: ExchangeFailure) {
        giveUpUpstream(failure, code)
        cutShort(failure, .clientGone)
    }

    /// The client changed the priority of the response.
    func receive(priority value: [UInt8]) {
        if case .open(let exchange) = upstream { exchange.send(priority: value) }
    }

    /// The relay's deadline has passed.
    func deadlinePassed() {
        guard !hasClientEnded else { return clientVanished() }
        let failure = timeout
        giveUp(failure, answer: .badGateway(failure))
    }

    /// The failure that says which side was too slow.
    private var timeout: ExchangeFailure {
        if isResponseAwaited { return .responseTimedOut }
        return upstreamPauses.contains(.slowPeer) ? .clientStalled : .responseStalled
    }

    func terminate(_ reason: TerminationReason) {
        let failure = ExchangeFailure.terminated(reason)
        giveUp(failure, answer: .badGateway(failure))
    }

    /// Ends the exchange without a complete response from the server: with the proxy's own answer
    /// if the client has received none, otherwise by cutting the response short, so that it never
    /// looks complete.
    func giveUp(_ failure: ExchangeFailure, answer: LocalResponse) {
        giveUpUpstream(failure)
        switch response {
        case .awaited:
            answer.record(in: tap, for: client)
            finish(.failed, failure: failure)
            client.answer(answer)
        case .held:
            answer.recordSent(in: tap, for: client)
            finish(.failed, failure: failure)
            client.answer(answer)
        case .streaming: cutShort(failure)
        case .finished: break
        }
    }

    func giveUpUpstream(_ failure: ExchangeFailure, _ code: HTTP2ErrorCode = .cancel) {
        if case .open(let exchange) = upstream {
            noteFault(exchange, failure)
            exchange.cancel(code)
        }
        upstream = .none
    }

    /// An HTTP/2 client's stream that is cut short is reset.
    func noteOurReset() {
        if client.streamID != nil { tap.setReset(.client, isOurs: true, .internalError) }
    }

    func cutShort(_ failure: ExchangeFailure, _ cause: CutCause = .failure) {
        if case .finished = response {
        } else {
            if cause == .failure { noteOurReset() }
            recordWithheld()
            finish(.failed, failure: failure)
        }
        client.cutShort(cause)
    }

    func finish(_ state: ExchangeState, failure: ExchangeFailure? = nil) {
        finish(state, failure: failure, now: worker.now)
    }

    func finish(_ state: ExchangeState, failure: ExchangeFailure? = nil, now: Int64) {
        upstream = .none
        response = .finished
        if let held {
            held.end()
            client.setPaused(.held, false)
        }
        tap.end(state, failure: failure, at: now)
    }

    // MARK: Back-pressure

    /// The client has taken the bytes that waited for it.
    func clientDrained() { setUpstreamPaused(.slowPeer, false) }

    func setUpstreamPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        guard let isToPause = upstreamPauses.set(reason, isPaused) else { return }
        if case .open(let exchange) = upstream {
            if isToPause { exchange.pauseReceiving() } else { exchange.resumeReceiving() }
        } else if !isToPause {
            sendAnswer()
        }
    }

    /// Whether the client or the recorder has no room for more of the response.
    var isPaused: Bool { !upstreamPauses.isEmpty }

    /// The source of the response is another one from now on.
    func forgetPauses() { upstreamPauses = client.isCongested ? .slowPeer : [] }

    func pauseForRecorder() {
        if client.pauseForRecorder() { setUpstreamPaused(.recorder, true) }
    }

    func recorderDrained() { setUpstreamPaused(.recorder, false) }
}
