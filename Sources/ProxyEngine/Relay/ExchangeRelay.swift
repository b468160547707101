internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// One request passed on to its server and the response passed back, with a copy for the tap. It
/// knows no version of HTTP: the client's side is a `ClientStream`, the server's a
/// `ClientExchange`.
///
/// ```
/// response: awaited ──final head──▶ streaming ──end──▶ finished
///              └── failure: our own answer ──▶ finished ◀── failure: cut short ──┘
/// ```
/// Bytes go through as they come, in both directions; each side is paused while the other, or the
/// recorder, cannot follow.
final class ExchangeRelay: ClientExchangeDelegate {
    private enum ResponseState {
        case awaited
        case streaming
        case finished
    }

    /// Holds the relay in turn for as long as it is under way, and no longer.
    private let client: any ClientStream
    private let worker: ProxyWorker
    let tap: ExchangeTap
    private var upstream: ClientExchange?
    private var response: ResponseState = .awaited
    private var hasClientEnded = false
    private var requestTrailers: HeaderFields?
    private var responseTrailers: HeaderFields?
    private var upstreamPauses: PauseReasons = []
    /// When the exchange is given up if nothing happens; on the monotonic clock.
    private(set) var deadline: Int64

    init(client: any ClientStream, worker: ProxyWorker, tap: ExchangeTap) {
        self.client = client
        self.worker = worker
        self.tap = tap
        deadline = worker.now &+ worker.configuration.bodyIdleTimeoutNs
    }

    // MARK: What comes from the client

    func start(_ request: consuming OutgoingRequest, prepared: PreparedConnection?) {
        if request.message.head.fields.authenticateConnection { client.bind(to: request.target) }
        upstream = worker.transport.send(
            request, prepared: prepared, affinity: client.affinity, delegate: self)
    }

    /// A piece of the request's body came.
    func receive(body octets: Span<UInt8>) {
        bodyMoved()
        tap.appendRequestBody(octets)
        guard let upstream else { return }
        upstream.sendBody(octets)
        if upstream.isCongested { client.setPaused(.slowPeer, true) }
        pauseForRecorder()
    }

    func receive(trailers: HeaderFields) { requestTrailers = trailers }

    /// The request's last byte has come.
    func requestEnded() {
        let now = worker.now
        if isResponseAwaited {
            deadline = now &+ worker.configuration.responseTimeoutNs
            if hasClientEnded { shortenDeadline() }
        }
        tap.mark(.requestLastByte, at: now)
        tap.endRequest(trailers: requestTrailers)
        upstream?.finishBody(trailers: requestTrailers)
    }

    /// The client's bytes ceased to be HTTP in the middle of the body.
    func requestBroke(_ error: WireError) {
        giveUp(.malformed(error), answer: .badRequest(error))
    }

    /// The client has ended its side behind a complete request: it may as well be gone, and its
    /// request is not to be worked on for no one. A response that streams goes on: the client may
    /// well be reading it, and when it is gone, writing will tell.
    func clientEnded() {
        hasClientEnded = true
        if isResponseAwaited { shortenDeadline() }
    }

    private func shortenDeadline() {
        deadline = min(deadline, worker.now &+ worker.configuration.halfClosedTimeoutNs)
    }

    /// Bytes of a body came, or the server began to answer: from now on only a pause counts.
    private func bodyMoved() { deadline = worker.now &+ worker.configuration.bodyIdleTimeoutNs }

    /// Whether the server has not begun to answer.
    private var isResponseAwaited: Bool {
        if case .awaited = response { true } else { false }
    }

    // MARK: What comes from the server

    func exchange(
        _ exchange: ClientExchange, didSendHead octets: [UInt8], notes: ForwardingNotes
    ) {
        tap.noteForwarding(notes, head: octets)
    }

    func exchange(
        _ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool
    ) {
        tap.setServerConnection(facts.id)
        tap.setTimeline { timeline in
            timeline.connectionReused = isReused
            if !isReused { facts.timings.write(to: &timeline) }
            timeline.mark(.sendStart, at: exchange.sentHeadAt ?? worker.now)
        }
    }

    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead) {
        tap.append(informational: head)
        client.send(informational: ForwardedResponse(head: head, body: .none))
    }

    func exchange(
        _ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength
    ) {
        let outgoing = forwarded(head, body: body)
        if let objection = client.objection(to: outgoing) {
            tap.setRefused(head.octets, reason: objection.message)
            return giveUp(objection, answer: .badGateway(objection))
        }
        markResponseHead(exchange)
        tap.setResponse(head)
        if head.fields.authenticateConnection {
            client.bind(to: exchange.request.target)
            exchange.bindConnection()
        }
        tap.setRepairs(exchange.repairs)
        response = .streaming
        bodyMoved()
        client.send(outgoing, isLast: exchange.endsBoundConnection)
    }

    private func forwarded(_ head: ResponseHead, body: BodyLength) -> ForwardedResponse {
        var options = ForwardedResponse.Options()
        options.viaPseudonym = worker.configuration.viaPseudonym
        if worker.configuration.addsDate { options.date = DateField.now() }
        return ForwardedResponse(head: head, body: body, options: options)
    }

    private func markResponseHead(_ exchange: ClientExchange) {
        let now = worker.now
        tap.setTimeline { timeline in
            if let sent = exchange.sentLastAt { timeline.markOnce(.sendEnd, at: sent) }
            timeline.markOnce(.responseFirstByte, at: exchange.firstByteAt ?? now)
            timeline.markOnce(.responseHead, at: now)
        }
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody octets: Span<UInt8>) {
        guard case .streaming = response else { return }
        bodyMoved()
        tap.appendResponseBody(octets)
        client.send(body: octets)
        if client.isCongested { setUpstreamPaused(.slowPeer, true) }
        pauseForRecorder()
    }

    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields) {
        tap.setResponseTrailers(trailers)
        responseTrailers = trailers
    }

    func exchangeDidEnd(_ exchange: ClientExchange) {
        guard case .streaming = response else { return }
        let now = worker.now
        tap.setTimeline { timeline in
            if let sent = exchange.sentLastAt { timeline.markOnce(.sendEnd, at: sent) }
            timeline.markOnce(.responseLastByte, at: now)
            timeline.markOnce(.delivered, at: now)
        }
        tap.setRepairs(exchange.repairs)
        tap.setRefused(exchange.refusedOctets, reason: "bytes came after the end of the response")
        finish(.complete)
        client.end(trailers: responseTrailers)
    }

    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure) {
        noteFault(exchange, failure)
        if exchange.isUnanswered {
            finish(.failed, failure: .unanswered(failure))
            client.endUnanswered()
        } else {
            upstream = nil
            giveUp(failure, answer: .badGateway(failure))
        }
    }

    /// Keeps what came and did not go on.
    private func noteFault(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        tap.setRepairs(exchange.repairs)
        // Where the server is not to blame, what came of its response is only not complete.
        let reason =
            failure.origin == .upstream
            ? failure.message : "the response was not complete yet: \(failure.message)"
        tap.setRefused(exchange.refusedOctets, reason: reason)
    }

    func exchangeDidDrain(_ exchange: ClientExchange) { client.setPaused(.slowPeer, false) }

    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>
    ) {
        upstream = nil
        guard let name = client.agreedProtocol(in: head) else {
            stream.abort()
            let octets = head.octets + early.withUnsafeBufferPointer { Array($0) }
            tap.setRefused(octets, reason: ExchangeFailure.unaskedSwitch.message)
            return giveUp(.unaskedSwitch, answer: .badGateway(.unaskedSwitch))
        }
        markResponseHead(exchange)
        tap.setResponse(head)
        tap.setUpgrade(name)
        response = .finished
        client.switchProtocols(
            ForwardedResponse(head: head, body: .none), joining: stream, early: early, tap: tap)
    }

    // MARK: Endings

    /// The client is gone.
    func clientVanished() {
        giveUpUpstream(.clientClosed)
        cutShort(.clientClosed, isClientGone: true)
    }

    /// The deadline has passed.
    func deadlinePassed() {
        guard !hasClientEnded else { return clientVanished() }
        giveUp(.responseTimedOut, answer: .badGateway(.responseTimedOut))
    }

    func terminate(_ reason: TerminationReason) {
        let failure = ExchangeFailure.terminated(reason)
        giveUp(failure, answer: .badGateway(failure))
    }

    /// Ends the exchange without a complete response from the server: with our own where none has
    /// begun, else by cutting the client's short, so that it never looks complete.
    private func giveUp(_ failure: ExchangeFailure, answer: LocalResponse) {
        giveUpUpstream(failure)
        switch response {
        case .awaited:
            answer.record(in: tap)
            finish(.failed, failure: failure)
            client.answer(answer)
        case .streaming: cutShort(failure)
        case .finished: break
        }
    }

    private func giveUpUpstream(_ failure: ExchangeFailure) {
        guard let upstream else { return }
        noteFault(upstream, failure)
        upstream.cancel()
        self.upstream = nil
    }

    private func cutShort(_ failure: ExchangeFailure, isClientGone: Bool = false) {
        if case .finished = response {} else { finish(.failed, failure: failure) }
        client.cutShort(isGone: isClientGone)
    }

    private func finish(_ state: ExchangeState, failure: ExchangeFailure? = nil) {
        upstream = nil
        response = .finished
        worker.close(tap, state, failure: failure)
    }

    // MARK: Back-pressure

    /// The client has taken what waited for it.
    func clientDrained() { setUpstreamPaused(.slowPeer, false) }

    private func setUpstreamPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        let was = upstreamPauses
        if isPaused { upstreamPauses.insert(reason) } else { upstreamPauses.remove(reason) }
        guard was.isEmpty != upstreamPauses.isEmpty else { return }
        if upstreamPauses.isEmpty {
            upstream?.resumeReceiving()
        } else {
            upstream?.pauseReceiving()
        }
    }

    private func pauseForRecorder() {
        if client.pauseForRecorder() { setUpstreamPaused(.recorder, true) }
    }

    func recorderDrained() { setUpstreamPaused(.recorder, false) }
}
