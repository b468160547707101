internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// Forwards one request to its server and the response to the client, with a copy for the record.
///
/// It has no loop, no connection and no clock. Its inputs are what the client, the server, the
/// actor and the deadline do; its outputs go to the client's `ClientStream`, the server's
/// `ServerExchange`, the `ExchangeTap`, and to `ExchangePorts` for the rest.
///
/// ```
/// server:   none ──request──▶ (pending) ──▶ open ──end, failure──▶ none
/// response: awaited ──final head──▶ (pending) ──▶ streaming ──end──▶ finished
///              └── failure: our own answer ──▶ finished ◀── failure: cut short ──┘
/// ```
/// A message is pending while an actor is asked about it (`ExchangeMachine+Acting`). Bytes are
/// forwarded as they come, in both directions; each side is paused while the other, or the
/// recorder, cannot keep up.
final class ExchangeMachine {
    enum ServerState {
        case none
        /// The request is pending.
        case pending
        case open(any ServerExchange)
    }

    enum ResponseState {
        case awaited
        /// It has started to arrive; the client has received none of it.
        case pending
        case streaming
        case finished
    }

    /// The client's side, which in turn retains the machine until the exchange ends.
    let client: any ClientStream
    let ports: any ExchangePorts
    let timeouts: ExchangeTimeouts
    let tap: ExchangeTap
    /// Replaces references to the server in its response; nil to forward them as they are.
    private let references: BackReferences?
    var server: ServerState = .none
    var response: ResponseState = .awaited
    /// What is kept for an actor; nil if none acts on the host.
    private(set) var actorState: ActorState?
    private var hasClientEnded = false
    private var requestTrailers: HeaderFields?
    var responseTrailers: HeaderFields?
    private var serverPauses: PauseReasons = []
    /// When the exchange is given up if nothing happens, on the monotonic clock.
    private var ownDeadline: Int64

    init(
        client: any ClientStream, ports: any ExchangePorts, tap: ExchangeTap,
        references: BackReferences? = nil
    ) {
        self.client = client
        self.ports = ports
        timeouts = ports.timeouts
        self.tap = tap
        self.references = references
        ownDeadline = ports.now &+ timeouts.bodyIdleNs
    }

    /// The deadline does not run while an actor decides, unless the client may have left.
    var deadline: Int64 {
        guard let actorState, actorState.isUndecided, !hasClientEnded else { return ownDeadline }
        return .max
    }

    // MARK: What comes from the client

    func start(_ request: consuming OutgoingRequest, prepared: PreparedConnection?) {
        guard let actor = ports.trafficActor, actor.mayAct(on: request.message) else {
            // Requests are moved, not copied.
            server = .open(ports.open(request, prepared, for: self))
            return
        }
        let actorState = ActorState(actor, request, prepared)
        self.actorState = actorState
        server = .pending
        if !actorState.waitsForEnd { askAboutConnection() }
    }

    func receive(body bytes: Span<UInt8>) {
        let now = ports.now
        bodyMoved(now: now)
        tap.appendRequestBody(bytes, at: now)
        switch server {
        case .open(let exchange): forward(bytes, to: exchange)
        case .pending: keep(bytes, of: .request)
        case .none: return
        }
        pauseForRecorder()
    }

    /// Forwards a piece of the request body, through the actor's pace, if any.
    func forward(_ bytes: Span<UInt8>, to exchange: any ServerExchange) {
        if let flow = actorState?.requestFlow {
            flow.push(bytes)
        } else {
            send(bytes, to: exchange)
        }
    }

    func send(_ bytes: Span<UInt8>, to exchange: any ServerExchange) {
        exchange.sendBody(bytes)
        if exchange.isCongested { client.setPaused(.slowPeer, true) }
    }

    func receive(trailers: HeaderFields) {
        requestTrailers = trailers.hasProxyCredentials ? trailers.withoutProxyCredentials : trailers
    }

    func requestEnded() {
        let now = ports.now
        awaitResponse(now: now)
        tap.endRequest(trailers: requestTrailers, at: now)
        switch server {
        case .open(let exchange): finishBody(of: exchange, trailers: requestTrailers)
        case .pending: keepEnd(of: .request, trailers: requestTrailers)
        case .none: break
        }
    }

    func finishBody(of exchange: any ServerExchange, trailers: HeaderFields?) {
        guard let flow = actorState?.requestFlow else {
            return exchange.finishBody(trailers: trailers)
        }
        flow.whenForwarded { [weak self] in
            guard let self else { return }
            awaitResponse(now: ports.now)
            exchange.finishBody(trailers: trailers)
        }
    }

    /// The request is complete: from now on the server's response timeout runs.
    func awaitResponse(now: Int64) {
        guard isResponseAwaited else { return }
        ownDeadline = now &+ timeouts.responseNs
        if hasClientEnded { shortenDeadline() }
    }

    /// The client's bytes stopped being valid HTTP in the middle of the body.
    func requestBroke(_ error: WireError) { giveUp(.malformed(error), answer: .badRequest(error)) }

    /// The client ended its side after a complete request. It may have left, and the server should
    /// not work on its request for no one. A response that is already streaming continues: the
    /// client may still be reading it, and if it has left, writing will fail.
    func clientEnded() {
        hasClientEnded = true
        switch response {
        case .awaited, .pending: shortenDeadline()
        case .streaming, .finished: break
        }
    }

    /// The client ended its side while part of its request has not been read. If the request is
    /// pending, that may take long; otherwise the end will be read soon.
    func clientEndedAhead() {
        if case .pending = server { clientEnded() }
    }

    func clientVanished() {
        let failure = client.connection.endedByActor(recordingIn: tap) ?? .clientClosed
        cancelServer(failure)
        cutShort(failure, .clientGone)
    }

    /// The client reset its stream: the server's stream is reset with the same code.
    func clientReset(_ code: HTTP2ErrorCode, _ failure: ExchangeFailure) {
        cancelServer(failure, code)
        cutShort(failure, .clientGone)
    }

    func receive(priority value: [UInt8]) {
        if case .open(let exchange) = server { exchange.send(priority: value) }
    }

    // MARK: What comes from the server

    func connected(_ exchange: some ServerExchange, _ facts: ConnectionFacts, isReused: Bool) {
        if client.streamID != nil {
            let stream = exchange.streamID
            tap.setHTTP2 { facts in
                facts.serverStream = stream
                facts.serverVersion = stream == nil ? .http11 : .http2
            }
        }
        if !isReused { tap.setTimeline { facts.timings.write(to: &$0) } }
        tap.setServerConnection(
            facts.id, isReused: isReused, sendStart: exchange.sentHeadAt ?? ports.now)
    }

    func receive(informational head: ResponseHead) {
        tap.append(informational: head)
        client.send(informational: ForwardedResponse(head: head, body: .none))
    }

    func receive(_ head: ResponseHead, _ body: BodyLength, from exchange: some ServerExchange) {
        guard references != nil || ports.changesHeads,
            let changed = ports.changed(head, references)
        else { return accept(ports.forwarded(head, body), of: exchange, received: head) }
        accept(ports.forwarded(changed, body), of: exchange, received: head, isChanged: true)
    }

    private func accept(
        _ outgoing: consuming ForwardedResponse, of exchange: some ServerExchange,
        received head: ResponseHead, isChanged: Bool = false
    ) {
        if let objection = client.objection(to: outgoing) {
            return refuse(outgoing, because: objection)
        }
        let now = ports.now
        markResponseHead(exchange, now: now)
        tap.setResponse(head)
        if head.fields.authenticateConnection {
            client.bind(to: exchange.target)
            exchange.bindConnection()
        }
        tap.setRepairs(exchange.repairs)
        bodyMoved(now: now)
        if actorState?.exchangeActor != nil { return ask(about: outgoing, received: head) }
        if isChanged { recordSentHead(of: outgoing) }
        response = .streaming
        client.send(outgoing, isLast: exchange.endsBoundConnection)
    }

    /// Answers for a response that the client could not interpret.
    func refuse(_ response: ForwardedResponse, because objection: ExchangeFailure) {
        tap.setRefused(response.head.bytes, reason: objection.message)
        giveUp(objection, answer: .badGateway(objection))
    }

    func markResponseHead(_ exchange: some ServerExchange, now: Int64) {
        if let sent = exchange.sentLastAt { tap.mark(.sendEnd, at: sent) }
        tap.mark(.responseFirstByte, at: exchange.firstByteAt ?? now)
        tap.mark(.responseHead, at: now)
    }

    func receive(responseBody bytes: Span<UInt8>) {
        let now = ports.now
        bodyMoved(now: now)
        tap.appendResponseBody(bytes, at: now)
        switch response {
        case .streaming: forwardResponse(bytes)
        case .pending: keep(bytes, of: .response)
        case .awaited, .finished: return
        }
        pauseForRecorder()
    }

    /// Forwards a piece of the response body, through the actor's editor and pace, if any.
    func forwardResponse(_ bytes: Span<UInt8>) {
        if let body = actorState?.editedBody { body.push(bytes) } else { deliverAtPace(bytes) }
    }

    func deliverAtPace(_ bytes: Span<UInt8>) {
        if let flow = actorState?.responseFlow { flow.push(bytes) } else { deliver(bytes) }
    }

    func deliver(_ bytes: Span<UInt8>) {
        if let actorState, actorState.dropsResponseBody { return }
        client.send(body: bytes)
        if client.isCongested { setServerPaused(.slowPeer, true) }
    }

    func receive(responseTrailers trailers: HeaderFields) {
        tap.setResponseTrailers(trailers)
        responseTrailers = trailers
    }

    func serverEnded(_ exchange: some ServerExchange) {
        let now = ports.now
        if let sent = exchange.sentLastAt { tap.mark(.sendEnd, at: sent) }
        tap.mark(.responseLastByte, at: now)
        tap.setRepairs(exchange.repairs)
        tap.setRefused(exchange.refusedBytes, reason: "bytes came after the end of the response")
        server = .none
        switch response {
        case .streaming: endResponse(now: now)
        case .pending: keepEnd(of: .response)
        case .awaited, .finished: break
        }
    }

    func serverFailed(_ exchange: some ServerExchange, _ failure: ExchangeFailure) {
        noteFault(exchange, failure)
        server = .none
        if exchange.isUnanswered {
            noteOurReset()
            endRecord(.failed, .unanswered(failure))
            client.endUnanswered()
        } else if let code = exchange.resetCode {
            tap.setReset(.server, isOurs: false, code)
            serverWasReset(code, failure)
        } else if case .streaming = response {
            cutShortInOrder(failure, .failure)
        } else {
            giveUp(failure, answer: .badGateway(failure))
        }
    }

    /// The server reset its stream: the client's stream is reset too, if it has one.
    private func serverWasReset(_ code: HTTP2ErrorCode, _ failure: ExchangeFailure) {
        if case .streaming = response { return cutShortInOrder(failure, .serverReset(code)) }
        if client.forwardReset(code) {
            endRecord(.failed, failure)
        } else {
            giveUp(failure, answer: .badGateway(failure))
        }
    }

    /// Records what arrived and was not forwarded.
    private func noteFault(_ exchange: any ServerExchange, _ failure: ExchangeFailure) {
        tap.setRepairs(exchange.repairs)
        // If the server is not to blame, its response was merely incomplete.
        let reason =
            failure.origin == .upstream
            ? failure.message : "the response was not complete yet: \(failure.message)"
        tap.setRefused(exchange.refusedBytes, reason: reason)
    }

    // MARK: Deadlines

    private func shortenDeadline() { limitDeadline(to: ports.now &+ timeouts.halfClosedNs) }

    func limitDeadline(to latest: Int64) { ownDeadline = min(ownDeadline, latest) }

    /// Body bytes arrived, or the server started to answer: from now on only a pause times out.
    func bodyMoved(now: Int64) { ownDeadline = now &+ timeouts.bodyIdleNs }

    var isResponseAwaited: Bool {
        if case .awaited = response { true } else { false }
    }

    func deadlinePassed() {
        guard !hasClientEnded else { return clientVanished() }
        let failure = timeout
        giveUp(failure, answer: .badGateway(failure))
    }

    /// The failure that says which side was too slow.
    private var timeout: ExchangeFailure {
        if isResponseAwaited { return .responseTimedOut }
        return serverPauses.contains(.slowPeer) ? .clientStalled : .responseStalled
    }

    // MARK: Endings

    /// The response's last byte has arrived; some may wait for the editor or the pace.
    func endResponse(now: Int64) {
        guard let actorState else { return complete(now: now) }
        guard let body = actorState.editedBody else { return completeAtPace() }
        dropDigestsOfResponse()
        body.finish { [weak self] in self?.completeAtPace() }
    }

    private func completeAtPace() {
        guard let flow = actorState?.responseFlow else { return complete(now: ports.now) }
        flow.whenForwarded { [weak self] in
            guard let self else { return }
            complete(now: ports.now)
        }
    }

    private func complete(now: Int64) {
        client.endBody(trailers: responseTrailers)
        endRecord(.complete, at: now)
        client.end()
    }

    func terminate(_ reason: TerminationReason) {
        let failure = ExchangeFailure.terminated(reason)
        giveUp(failure, answer: .badGateway(failure))
    }

    /// Ends the exchange without a complete response from the server: with the proxy's own answer
    /// if the client has received none, otherwise by cutting the response short, so that it never
    /// looks complete.
    func giveUp(_ failure: ExchangeFailure, answer: LocalResponse) {
        cancelServer(failure)
        switch response {
        case .awaited, .pending:
            if isResponseAwaited {
                answer.record(in: tap, for: client)
            } else {
                answer.recordSent(in: tap, for: client)
            }
            endRecord(.failed, failure)
            client.answer(answer)
        case .streaming: cutShort(failure)
        case .finished: break
        }
    }

    private func cancelServer(_ failure: ExchangeFailure, _ code: HTTP2ErrorCode = .cancel) {
        if case .open(let exchange) = server {
            noteFault(exchange, failure)
            exchange.cancel(code)
        }
        server = .none
    }

    /// An HTTP/2 client's stream that is cut short is reset.
    func noteOurReset() {
        if client.streamID != nil { tap.setReset(.client, isOurs: true, .internalError) }
    }

    /// Cuts a response short after the bytes that the server sent: first the client gets what is
    /// being edited, what was kept back for the end of a line, and what waits for the pace.
    private func cutShortInOrder(_ failure: ExchangeFailure, _ cause: CutCause) {
        guard let body = actorState?.editedBody else { return cutShortAtPace(failure, cause) }
        body.finish { [weak self] in self?.cutShortAtPace(failure, cause) }
    }

    private func cutShortAtPace(_ failure: ExchangeFailure, _ cause: CutCause) {
        guard let flow = actorState?.responseFlow else { return cutShort(failure, cause) }
        flow.whenForwarded { [weak self] in self?.cutShort(failure, cause) }
    }

    private func cutShort(_ failure: ExchangeFailure, _ cause: CutCause = .failure) {
        if case .finished = response {
        } else {
            if cause == .failure { noteOurReset() }
            recordWithheld()
            endRecord(.failed, failure)
        }
        client.cutShort(cause)
    }

    func endRecord(
        _ state: ExchangeState, _ failure: ExchangeFailure? = nil, at now: Int64? = nil
    ) {
        server = .none
        response = .finished
        if let actorState {
            actorState.end()
            client.setPaused(.undecided, false)
        }
        tap.end(state, failure: failure, at: now ?? ports.now)
    }

    // MARK: Back-pressure

    func clientDrained() { setServerPaused(.slowPeer, false) }

    func serverDrained() { client.setPaused(.slowPeer, false) }

    /// Pauses the source of a message for a reason, or removes the reason.
    func setPaused(_ reason: PauseReasons, _ isPaused: Bool, sourceOf half: ExchangeHalf) {
        switch half {
        case .request: client.setPaused(reason, isPaused)
        case .response: setServerPaused(reason, isPaused)
        }
    }

    func setServerPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        guard let isToPause = serverPauses.set(reason, isPaused) else { return }
        if case .open(let exchange) = server {
            if isToPause { exchange.pauseReceiving() } else { exchange.resumeReceiving() }
        } else if !isToPause {
            sendAnswer()
        }
    }

    /// Whether the client or the recorder has no room for more of the response.
    var isPaused: Bool { !serverPauses.isEmpty }

    /// The source of the response is another one from now on.
    func forgetPauses() { serverPauses = client.isCongested ? .slowPeer : [] }

    func pauseForRecorder() {
        if client.pauseForRecorder() { setServerPaused(.recorder, true) }
    }

    func recorderDrained() { setServerPaused(.recorder, false) }
}
