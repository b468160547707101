internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// One request passed on to its server and the response passed back, with a copy for the tap. It
/// knows no version of HTTP: the client's side is a `ClientStream`, the server's a
/// `ClientExchange`.
///
/// ```
/// response: awaited ──final head──▶ (held) ──▶ streaming ──end──▶ finished
///              └── failure: our own answer ──▶ finished ◀── failure: cut short ──┘
/// ```
/// Where something acts on the exchange, its messages are held while it decides
/// (`ExchangeRelay+Acting`).
/// Bytes go through as they come, in both directions; each side is paused while the other, or the
/// recorder, cannot follow.
final class ExchangeRelay: ClientExchangeDelegate {
    enum ResponseState {
        case awaited
        /// It has begun to come and waits for an actor; the client has nothing of it.
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

    /// Holds the relay in turn for as long as it is under way, and no longer.
    let client: any ClientStream
    let worker: ProxyWorker
    let tap: ExchangeTap
    var upstream: Upstream = .none
    var response: ResponseState = .awaited
    /// What an actor has to do with; nil where the engine has none.
    private(set) var held: HeldMessages?
    private var hasClientEnded = false
    private var requestTrailers: HeaderFields?
    var responseTrailers: HeaderFields?
    private var upstreamPauses: PauseReasons = []
    /// When the exchange is given up if nothing happens; on the monotonic clock.
    private var ownDeadline: Int64

    init(client: any ClientStream, worker: ProxyWorker, tap: ExchangeTap) {
        self.client = client
        self.worker = worker
        self.tap = tap
        ownDeadline = worker.now &+ worker.configuration.bodyIdleTimeoutNs
    }

    /// It stands still while an actor decides, but for a client that may be gone.
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

    /// Sends the request on.
    func open(_ request: consuming OutgoingRequest, prepared: PreparedConnection?) {
        if request.message.head.fields.authenticateConnection { client.bind(to: request.target) }
        upstream = .open(
            worker.transport.send(
                request, prepared: prepared, affinity: client.affinity, frames: tap.frames,
                delegate: self))
    }

    /// A piece of the request's body came.
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

    /// The request's last byte has come.
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

    /// The request is complete: from now on the server's time counts.
    func awaitResponse(now: Int64) {
        guard isResponseAwaited else { return }
        ownDeadline = now &+ worker.configuration.responseTimeoutNs
        if hasClientEnded { shortenDeadline() }
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
        if !hasBegunToAnswer { shortenDeadline() }
    }

    /// The client has ended its side, with some of its request still to be read. What waits for an
    /// actor may wait long; what is on its way will come to the end by itself.
    func clientEndedAhead() {
        if case .held = upstream { clientEnded() }
    }

    private func shortenDeadline() {
        ownDeadline = min(ownDeadline, worker.now &+ worker.configuration.halfClosedTimeoutNs)
    }

    /// Bytes of a body came, or the server began to answer: from now on only a pause counts.
    func bodyMoved(now: Int64) { ownDeadline = now &+ worker.configuration.bodyIdleTimeoutNs }

    /// Whether the client has heard something: what waits for an actor it has not.
    private var hasBegunToAnswer: Bool {
        switch response {
        case .awaited, .held: false
        case .streaming, .finished: true
        }
    }

    /// Whether the server has not begun to answer.
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

    /// The client's version is noted with the stream that it numbered.
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

    func exchange(
        _ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength
    ) {
        let outgoing = forwarded(head, body: body)
        if let objection = client.objection(to: outgoing) {
            return refuse(outgoing, because: objection)
        }
        let now = worker.now
        markResponseHead(exchange, now: now)
        tap.setResponse(head)
        if head.fields.authenticateConnection {
            client.bind(to: exchange.request.target)
            exchange.bindConnection()
        }
        tap.setRepairs(exchange.repairs)
        bodyMoved(now: now)
        if held?.actor != nil { return hold(outgoing) }
        response = .streaming
        client.send(outgoing, isLast: exchange.endsBoundConnection)
    }

    /// Answers for a response that the client could make no sense of.
    func refuse(_ response: ForwardedResponse, because objection: ExchangeFailure) {
        tap.setRefused(response.head.octets, reason: objection.message)
        giveUp(objection, answer: .badGateway(objection))
    }

    private func forwarded(_ head: ResponseHead, body: BodyLength) -> ForwardedResponse {
        var options = ForwardedResponse.Options()
        options.viaPseudonym = worker.configuration.viaPseudonym
        if worker.configuration.addsDate { options.date = DateField.now() }
        return ForwardedResponse(head: head, body: body, options: options)
    }

    private func markResponseHead(_ exchange: ClientExchange, now: Int64) {
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

    /// Passes a piece of the response's body on, as an actor has it.
    func passOn(responseBody octets: Span<UInt8>) {
        guard let held else { return deliver(octets) }
        if let body = held.editedBody {
            body.push(octets)
        } else {
            held.send(octets, else: deliver)
        }
    }

    /// Sends a piece of the response's body to the client.
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

    /// The whole response is on its way to the client, or waits for its pace.
    func endResponse(now: Int64) {
        guard let held else { return complete(now: now) }
        upstream = .none
        guard let body = held.editedBody else { return endResponseFlow() }
        dropDigestsOfResponse()
        body.finish { [weak self] in self?.endResponseFlow() }
    }

    /// Another body goes on than the one that the trailers speak of.
    func dropDigestsOfResponse() {
        var trailers = responseTrailers
        trailers?.removeDigests()
        responseTrailers = trailers
    }

    /// The whole response is on its way to the client.
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
        } else {
            upstream = .none
            giveUp(failure, answer: .badGateway(failure))
        }
    }

    /// The server reset its stream: the client's ends the same way, where it can.
    private func passOn(reset code: HTTP2ErrorCode, _ failure: ExchangeFailure) {
        if case .streaming = response { return cutShort(failure, .serverReset(code)) }
        if client.passOn(reset: code) {
            finish(.failed, failure: failure)
        } else {
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
        upstream = .none
        // Of a request that waits for its pace, the server has not got all.
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

    /// The client is gone.
    func clientVanished() {
        let failure = client.connection.endedByActor(recordingIn: tap) ?? .clientClosed
        giveUpUpstream(failure)
        cutShort(failure, .clientGone)
    }

    /// The client reset its stream: the server's ends the same way.
    func clientReset(_ code: HTTP2ErrorCode, _ failure: ExchangeFailure) {
        giveUpUpstream(failure, code)
        cutShort(failure, .clientGone)
    }

    /// The client said how urgent the response is.
    func receive(priority value: [UInt8]) {
        if case .open(let exchange) = upstream { exchange.send(priority: value) }
    }

    /// The deadline has passed.
    func deadlinePassed() {
        guard !hasClientEnded else { return clientVanished() }
        let failure = timeout
        giveUp(failure, answer: .badGateway(failure))
    }

    /// Whose time is over.
    private var timeout: ExchangeFailure {
        if isResponseAwaited { return .responseTimedOut }
        return upstreamPauses.contains(.slowPeer) ? .clientStalled : .responseStalled
    }

    func terminate(_ reason: TerminationReason) {
        let failure = ExchangeFailure.terminated(reason)
        giveUp(failure, answer: .badGateway(failure))
    }

    /// Ends the exchange without a complete response from the server: with our own where none has
    /// begun, else by cutting the client's short, so that it never looks complete.
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

    /// A client's stream of HTTP/2 that is cut short is reset.
    func noteOurReset() {
        if client.streamID != nil { tap.setReset(.client, isOurs: true, .internalError) }
    }

    private func cutShort(_ failure: ExchangeFailure, _ cause: CutCause = .failure) {
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

    /// The client has taken what waited for it.
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
