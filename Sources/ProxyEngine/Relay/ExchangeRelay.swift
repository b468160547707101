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

    private func send(_ request: consuming OutgoingRequest, _ prepared: PreparedConnection?) {
        if request.message.head.fields.authenticateConnection { client.bind(to: request.target) }
        upstream = .open(
            worker.transport.send(
                request, prepared: prepared, affinity: client.affinity, frames: tap.frames,
                delegate: self))
    }

    /// Takes a piece of the request body.
    func receive(body octets: Span<UInt8>) {
        let now = worker.now
        bodyMoved(now: now)
        tap.appendRequestBody(octets, at: now)
        switch upstream {
        case .open(let exchange):
            if let flow = held?.upstreamFlow {
                flow.push(octets)
            } else {
                send(octets, to: exchange)
            }
        case .held: hold(requestBody: octets)
        case .none: return
        }
        pauseForRecorder()
    }

    func send(_ octets: Span<UInt8>, to exchange: ClientExchange) {
        exchange.sendBody(octets)
        if exchange.isCongested { client.setPaused(.slowPeer, true) }
    }

    func receive(trailers: HeaderFields) { requestTrailers = trailers }

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
        ownDeadline = min(ownDeadline, worker.now &+ worker.configuration.halfClosedTimeoutNs)
    }

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
        if client.streamID != nil { noteStreams(exchange) }
        tap.setTimeline { timeline in
            timeline.connectionReused = isReused
            if !isReused { facts.timings.write(to: &timeline) }
            timeline.mark(.sendStart, at: exchange.sentHeadAt ?? worker.now)
        }
    }

    /// Records the version spoken to the server, together with the stream identifiers.
    private func noteStreams(_ exchange: ClientExchange) {
        let stream = exchange.streamID
        tap.setHTTP2 { facts in
            facts.serverStream = stream
            facts.serverVersion = stream == nil ? .http11 : .http2
        }
    }

    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead) {
        tap.append(informational: head)
        client.send(informational: ForwardedResponse(head: head, body: .none))
    }

    /// Answers for a response that the client could not interpret.
    func refuse(_ response: ForwardedResponse, because objection: ExchangeFailure) {
        tap.setRefused(response.head.octets, reason: objection.message)
        giveUp(objection, answer: .badGateway(objection))
    }

    func markResponseHead(_ exchange: ClientExchange, now: Int64) {
        tap.setTimeline { timeline in
            if let sent = exchange.sentLastAt { timeline.markOnce(.sendEnd, at: sent) }
            timeline.markOnce(.responseFirstByte, at: exchange.firstByteAt ?? now)
            timeline.markOnce(.responseHead, at: now)
        }
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody octets: Span<UInt8>) {
        let now = worker.now
        bodyMoved(now: now)
        tap.appendResponseBody(octets, at: now)
        switch response {
        case .streaming: passOn(responseBody: octets)
        case .held: hold(responseBody: octets)
        case .awaited, .finished: return
        }
        pauseForRecorder()
    }

    /// Passes on a piece of the response body, through the actor's editor or pace if there is one.
    func passOn(responseBody octets: Span<UInt8>) {
        guard let held else { return deliver(octets) }
        if let body = held.editedBody {
            body.push(octets)
        } else {
            held.send(octets, else: deliver)
        }
    }

    /// Sends a piece of the response body to the client.
    func deliver(_ octets: Span<UInt8>) {
        if let held, held.dropsResponseBody { return }
        client.send(body: octets)
        if client.isCongested { setUpstreamPaused(.slowPeer, true) }
    }

    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields) {
        tap.setResponseTrailers(trailers)
        responseTrailers = trailers
    }

    func exchangeDidEnd(_ exchange: ClientExchange) {
        let now = worker.now
        tap.setTimeline { timeline in
            if let sent = exchange.sentLastAt { timeline.markOnce(.sendEnd, at: sent) }
            timeline.markOnce(.responseLastByte, at: now)
        }
        tap.setRepairs(exchange.repairs)
        tap.setRefused(exchange.refusedOctets, reason: "bytes came after the end of the response")
        switch response {
        case .streaming: endResponse(now: now)
        case .held:
            upstream = .none
            holdResponseEnd(trailers: responseTrailers)
        case .awaited, .finished: upstream = .none
        }
    }

    /// The whole response has been sent to the client, or waits for its pace.
    func endResponse(now: Int64) {
        guard let held else { return complete(now: now) }
        upstream = .none
        guard let body = held.editedBody else { return endResponseFlow() }
        dropDigestsOfResponse()
        body.finish { [weak self] in self?.endResponseFlow() }
    }

    /// Removes digests from the trailers, which describe another body than the one that is sent.
    func dropDigestsOfResponse() {
        var trailers = responseTrailers
        trailers?.removeDigests()
        responseTrailers = trailers
    }

    /// The whole response has been sent to the client.
    func complete(now: Int64) {
        client.endBody(trailers: responseTrailers)
        finish(.complete, now: now)
        client.end()
    }

    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure) {
        noteFault(exchange, failure)
        if exchange.isUnanswered {
            noteOurReset()
            finish(.failed, failure: .unanswered(failure))
            client.endUnanswered()
        } else if let code = exchange.resetCode {
            upstream = .none
            tap.setReset(.server, isOurs: false, code)
            passOn(reset: code, failure)
        } else if case .streaming = response {
            upstream = .none
            cutShortInOrder(failure, .failure)
        } else {
            upstream = .none
            giveUp(failure, answer: .badGateway(failure))
        }
    }

    /// The server reset its stream: the client's stream is reset too, if it has one.
    private func passOn(reset code: HTTP2ErrorCode, _ failure: ExchangeFailure) {
        if case .streaming = response { return cutShortInOrder(failure, .serverReset(code)) }
        if client.passOn(reset: code) {
            finish(.failed, failure: failure)
        } else {
            giveUp(failure, answer: .badGateway(failure))
        }
    }

    /// Records what arrived and was not forwarded.
    private func noteFault(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        tap.setRepairs(exchange.repairs)
        // If the server is not to blame, its response was merely incomplete.
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
        upstream = .none
        // If the request waits for its pace, the server has not received all of it.
        let isSent = held?.upstreamFlow?.isHolding != true
        guard isSent, let name = client.agreedProtocol(in: head) else {
            stream.abort()
            let octets = head.octets + early.withUnsafeBufferPointer { Array($0) }
            tap.setRefused(octets, reason: ExchangeFailure.unaskedSwitch.message)
            return giveUp(.unaskedSwitch, answer: .badGateway(.unaskedSwitch))
        }
        markResponseHead(exchange, now: worker.now)
        tap.setResponse(head)
        switchProtocols(
            SwitchedServer(
                stream: stream, name: name, head: head,
                early: early.withUnsafeBufferPointer { Array($0) }))
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
            finish(.failed, failure: failure)
        }
        client.cutShort(cause)
    }

    func finish(_ state: ExchangeState, failure: ExchangeFailure? = nil) {
        finish(state, failure: failure, now: worker.now)
    }

    private func finish(_ state: ExchangeState, failure: ExchangeFailure? = nil, now: Int64) {
        upstream = .none
        response = .finished
        if let held {
            held.end()
            client.setPaused(.held, false)
        }
        client.close(tap, state, failure: failure, now: now)
    }

    // MARK: Back-pressure

    /// The client has taken the bytes that waited for it.
    func clientDrained() { setUpstreamPaused(.slowPeer, false) }

    func setUpstreamPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        guard let isToPause = upstreamPauses.set(reason, isPaused),
            case .open(let exchange) = upstream
        else { return }
        if isToPause { exchange.pauseReceiving() } else { exchange.resumeReceiving() }
    }

    private func pauseForRecorder() {
        if client.pauseForRecorder() { setUpstreamPaused(.recorder, true) }
    }

    func recorderDrained() { setUpstreamPaused(.recorder, false) }
}
