internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

enum ExchangeHalf { case request, response }

/// What an actor is asked. One question at a time is open.
enum ActorQuestion {
    case connection(RequestedConnection)
    case request(ForwardedRequest, BodySnapshot)
    case response(ForwardedResponse, BodySnapshot)
}

/// Exchanges on which an actor acts. While it decides, what arrives is kept, sources are paused
/// once much has arrived, and deadlines do not run.
///
/// ```
/// connection? ──▶ request? ──▶ (whole request?) ──▶ sent
///                 response? ──▶ (whole response?) ──▶ sent
/// ```
/// Each answer can also end the exchange, or answer the client.
extension ExchangeMachine {
    // MARK: Questions

    func askAboutConnection() {
        guard client.namesServers else { return chooseExchangeActor(pace: nil) }
        guard let url = actorState?.request?.message.url else { return }
        let connection = client.connection
        ask(
            .connection(
                RequestedConnection(
                    client: connection.id, peer: connection.peer,
                    process: connection.record.process, arrival: connection.record.arrival,
                    user: tap.user, host: url.host, port: url.port, isTunnel: false)))
    }

    private func ask(_ question: ActorQuestion) { ports.ask(question, of: self) }

    private func chooseExchangeActor(pace: (any PaceActor)?) {
        guard let actorState, let request = actorState.request else { return }
        let connection = client.connection
        let exchange = ExchangeContext(
            id: tap.id, client: connection.id, peer: connection.peer,
            process: connection.record.process, arrival: connection.record.arrival,
            user: tap.user, requestHead: actorState.requestHead, pace: pace)
        actorState.exchangeActor = actorState.trafficActor.actor(for: exchange, request.message)
        guard actorState.exchangeActor != nil else { return sendRequest() }
        ask(.request(request.message, .coming))
    }

    /// Asks about a response, which may differ from the one received.
    func ask(about outgoing: ForwardedResponse, received head: ResponseHead) {
        guard let actorState else { return }
        response = .pending
        actorState.setResponse(outgoing, received: head)
        ask(.response(outgoing, .coming))
    }

    /// Asks about a whole body that the actor wants, once it is complete or too large.
    private func askAboutBody(of half: ExchangeHalf) {
        guard let actorState, let body = actorState.content(of: half).takeWanted() else { return }
        switch half {
        case .request:
            guard let message = actorState.request?.message else { return }
            ask(.request(message, body))
        case .response:
            guard let message = actorState.response else { return }
            ask(.response(message, body))
        }
    }

    /// Keeps a piece of the body of a pending message.
    func keep(_ bytes: Span<UInt8>, of half: ExchangeHalf) {
        guard let content = actorState?.content(of: half) else { return }
        content.append(bytes)
        if content.shouldPause { setPaused(.undecided, true, sourceOf: half) }
        askAboutBody(of: half)
    }

    /// All of a pending message has arrived.
    /// - Parameter trailers: Those of a request; those of a response are kept apart.
    func keepEnd(of half: ExchangeHalf, trailers: HeaderFields? = nil) {
        guard let actorState else { return }
        actorState.content(of: half).end(trailers)
        guard half == .request, actorState.waitsForEnd else { return askAboutBody(of: half) }
        actorState.waitsForEnd = false
        askAboutConnection()
    }

    // MARK: Verdicts

    /// Whether the verdict that follows answers the open question of a running exchange.
    private func closeDecision() -> Bool {
        if case .finished = response { return false }
        guard let actorState, actorState.openDecision != nil else { return false }
        actorState.openDecision = nil
        bodyMoved(now: ports.now)
        return true
    }

    func decide(_ verdict: ConnectVerdict) {
        guard closeDecision() else { return }
        switch verdict {
        case .pass(let route, let pace), .withoutServer(let route, let pace, _):
            if let route { actorState?.retarget { $0.with(route: route.counting($0.route)) } }
            chooseExchangeActor(pace: pace)
        case .answer(let answer): self.answer(answer)
        case .end(let end, let failure): self.end(end, failure)
        }
    }

    func decide(_ verdict: MessageVerdict<ForwardedRequest>) {
        guard closeDecision() else { return }
        switch verdict {
        case .pass(let message, let plan):
            setRequest(message)
            follow(plan, for: .request)
        case .answer(let answer): self.answer(answer)
        case .end(let end, let failure): self.end(end, failure)
        }
    }

    func decide(_ verdict: MessageVerdict<ForwardedResponse>) {
        guard closeDecision() else { return }
        switch verdict {
        case .pass(let message, let plan):
            actorState?.response = message
            follow(plan, for: .response)
        case .answer(let answer): self.answer(answer)
        case .end(let end, let failure): self.end(end, failure)
        }
    }

    private func follow(_ plan: BodyPlan, for half: ExchangeHalf) {
        guard let content = actorState?.content(of: half) else { return }
        switch plan {
        case .whole(let byteCountMax, let budget) where content.isUnasked:
            content.want(byteCountMax: byteCountMax, from: budget)
            setPaused(.undecided, content.shouldPause, sourceOf: half)
            if half == .request { askClientForBody() }
            askAboutBody(of: half)
        case .replaced(let body) where content.wasWhole: pass(half, body: body)
        case .edited(let editor): pass(half, editor: editor)
        case .stream, .whole, .replaced: pass(half)
        }
    }

    /// Sends a message on, with the part of its body that has arrived, with another body, or with
    /// its own body, changed while it streams.
    private func pass(
        _ half: ExchangeHalf, body: [UInt8]? = nil, editor: (any StreamingBodyEditor)? = nil
    ) {
        switch half {
        case .request:
            if let body { replaceRequestBody(body) }
            sendRequest()
        case .response where actorState?.switched != nil: continueSwitching()
        case .response: sendResponse(body: body, editor: editor)
        }
    }

    private func beginFlow(_ half: ExchangeHalf) {
        guard let actorState, let pace = actorState.exchangeActor?.pace else { return }
        let flow = ports.flow(pace, half == .request ? .upstream : .downstream, of: self)
        switch half {
        case .request: actorState.requestFlow = flow
        case .response: actorState.responseFlow = flow
        }
    }

    func receive(paced bytes: Span<UInt8>, of half: ExchangeHalf) {
        bodyMoved(now: ports.now)
        switch half {
        case .request: if case .open(let exchange) = server { send(bytes, to: exchange) }
        case .response: deliver(bytes)
        }
    }

    // MARK: Request

    /// Replaces the request to forward; it goes to another server if its URL was changed.
    private func setRequest(_ message: ForwardedRequest) {
        guard let actorState, let before = actorState.request else { return }
        let (old, new) = (before.message.url, message.url)
        actorState.request = OutgoingRequest(target: before.target, message: message)
        if message.options.isSecret { tap.hidesSentRequest = true }
        guard old.scheme != new.scheme || old.host != new.host || old.port != new.port else {
            return
        }
        let target = ports.target(of: new)
        actorState.retarget { old in
            // What rules chose for the first server does not apply to another, except its way.
            guard let route = old.route?.withoutServer else { return target }
            return target.with(route: route)
        }
    }

    /// Sends 100 (Continue). A client that waits for it would wait forever: the server is not asked
    /// before the body is complete, or never sees the expectation (RFC 9110 §10.1.1).
    private func askClientForBody() {
        guard let actorState, actorState.requestHead.expectsContinue,
            actorState.request?.message.options.isExpectationMet == false,
            actorState.requestContent.isUntouched
        else { return }
        actorState.changeRequest { $0.options.isExpectationMet = true }
        client.send(informational: ForwardedResponse(head: .continue, body: .none))
    }

    private func replaceRequestBody(_ body: [UInt8]) {
        guard let actorState, let framing = actorState.request?.message.body else { return }
        if actorState.requestContent.replace(with: body), !tap.hidesSentRequest {
            tap.record(.sentRequestBody(body))
        }
        guard framing != .chunked else { return }
        let isNothing = body.isEmpty && framing == .none
        actorState.changeRequest { $0.body = isNothing ? .none : .exactly(UInt64(body.count)) }
    }

    /// Sends the request, with the part of its body that has arrived.
    private func sendRequest() {
        guard let actorState else { return }
        if actorState.exchangeActor != nil { actorState.noteChangedRequest() }
        if actorState.request?.message.head.expectsContinue == false { askClientForBody() }
        guard let (request, prepared, content) = actorState.takeRequest() else { return }
        let exchange = ports.open(request, prepared, for: self)
        server = .open(exchange)
        beginFlow(.request)
        if !content.body.isEmpty { forward(content.body.span, to: exchange) }
        if content.isComplete {
            awaitResponse(now: ports.now)
            finishBody(of: exchange, trailers: content.trailers)
        }
        client.setPaused(.undecided, actorState.requestFlow?.isPaused ?? false)
        if actorState.exchangeActor == nil { actorState.end() }
    }

    // MARK: Response

    private func sendResponse(body replacement: [UInt8]?, editor: (any StreamingBodyEditor)?) {
        guard let actorState, var message = actorState.response else { return }
        let isBodiless = message.head.isBodiless(to: client.requestMethod)
        message.fitBody(isBodiless: isBodiless, byteCount: replacement?.count)
        if let objection = client.objection(to: message) {
            return refuse(message, because: objection)
        }
        let isKept = !message.options.isSecret
        let hasSameLength = message.body.isSame(as: actorState.responseLength)
        if message.head != actorState.responseHead || !hasSameLength {
            recordSentHead(of: message, isSecret: !isKept)
        }
        actorState.dropsResponseBody = isBodiless
        if isBodiless, !hasSameLength { recordSentBody([], isKept: isKept) }
        if let replacement, !isBodiless, actorState.responseContent.replace(with: replacement) {
            recordSentBody(replacement, isKept: isKept)
            dropDigestsOfResponse()
        }
        if let editor, !isBodiless { edit(with: editor, isKept: isKept) }
        beginFlow(.response)
        let content = actorState.takeResponse()
        response = .streaming
        client.send(message, isLast: endsBoundConnection)
        if !content.body.isEmpty { forwardResponse(content.body.span) }
        setServerPaused(.undecided, actorState.responseFlow?.isPaused ?? false)
        // The pace may have ended it.
        if content.isComplete, case .streaming = response { endResponse(now: ports.now) }
    }

    private func edit(with editor: any StreamingBodyEditor, isKept: Bool) {
        actorState?.editedBody = EditedBody(
            editor, recordingIn: tap, isKept: isKept,
            deliver: { [weak self] bytes in
                guard let self else { return }
                bodyMoved(now: ports.now)
                deliverAtPace(bytes)
            },
            setPaused: { [weak self] in self?.setServerPaused(.edited, $0) })
    }

    /// Removes digests from the trailers, which describe another body than the one that is sent.
    func dropDigestsOfResponse() {
        var trailers = responseTrailers
        trailers?.removeDigests()
        responseTrailers = trailers
    }

    private func recordSentBody(_ body: [UInt8], isKept: Bool) {
        if isKept { tap.record(.sentResponseBody(body)) } else { tap.countSentResponse(body.count) }
    }

    /// Records a head as the client gets it; for an HTTP/1 client in the form of HTTP/1.1, with its
    /// framing. Of a secret one, only the status line is recorded, and the content type if that is
    /// the one received.
    func recordSentHead(of message: ForwardedResponse, isSecret: Bool = false) {
        guard !isSecret else {
            var head = message.head.withoutFields
            let type = message.head.fields.value(.contentType)
            if let type, type == actorState?.responseHead?.fields.value(.contentType) {
                head = head.changed(fields: HeaderFields([("Content-Type", type)]))
            }
            return tap.record(.sentResponseHead(head.bytes))
        }
        guard client.streamID == nil else {
            return tap.record(.sentResponseHead(client.recordedHead(of: message).bytes))
        }
        let recipient = HTTP1Recipient(
            version: .http11, requestMethod: client.requestMethod, isPersistent: true)
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(message, to: recipient, into: &bytes)
        tap.record(.sentResponseHead(bytes))
    }

    private var endsBoundConnection: Bool {
        if case .open(let exchange) = server { exchange.endsBoundConnection } else { false }
    }

    // MARK: Another protocol

    /// The server switched protocols (101, or the agreement to an extended CONNECT). An actor sees
    /// its head like that of any response; what follows the head is not a body.
    func serverSwitched(
        _ exchange: some ServerExchange, to stream: any DuplexStream, _ head: ResponseHead,
        early: [UInt8]
    ) {
        server = .none
        // If the request waits for its pace, the server has not received all of it.
        let isSent = actorState?.requestFlow?.isWaiting != true
        guard isSent, let name = client.agreedProtocol(in: head) else {
            stream.abort()
            tap.setRefused(head.bytes + early, reason: ExchangeFailure.unaskedSwitch.message)
            return giveUp(.unaskedSwitch, answer: .badGateway(.unaskedSwitch))
        }
        markResponseHead(exchange, now: ports.now)
        tap.setResponse(head)
        let switched = SwitchedServer(stream: stream, name: name, head: head, early: early)
        let message = ForwardedResponse(head: head, body: .none)
        guard let actorState, actorState.exchangeActor != nil else {
            return join(switched, message)
        }
        response = .pending
        stream.pauseReading()
        actorState.setSwitched(switched)
        ask(.response(message, .coming))
    }

    private func continueSwitching() {
        guard let actorState, let switched = actorState.switched, let message = actorState.response
        else { return }
        // Any other status does not agree to switch: it is an ordinary answer.
        guard message.head.status == switched.head.status else {
            return answer(ExchangeAnswer(head: message.head, isSecret: message.options.isSecret))
        }
        guard switched.stream.isOpen else {
            return giveUp(.serverClosed, answer: .badGateway(.serverClosed))
        }
        actorState.switched = nil
        if message.head != switched.head {
            recordSentHead(of: message, isSecret: message.options.isSecret)
        }
        join(switched, message)
    }

    private func join(_ switched: SwitchedServer, _ message: ForwardedResponse) {
        tap.setUpgrade(switched.name)
        response = .finished
        let pace = actorState?.exchangeActor?.pace
        actorState?.end()
        client.switchProtocols(
            message, joining: switched.stream, early: switched.early.span, tap: tap, pace: pace)
    }

    // MARK: Answers and endings

    func answer(_ answer: ExchangeAnswer) {
        dropServer()
        let isBodiless = answer.head.isBodiless(to: client.requestMethod)
        let trailers = isBodiless ? nil : answer.trailers
        let message = ForwardedResponse(
            head: answer.head,
            body: trailers == nil ? .exactly(UInt64(answer.body.count)) : .chunked)
        record(answer, message, isBodiless: isBodiless)
        responseTrailers = trailers.flatMap { $0.isEmpty ? nil : $0 }
        let isRecorded = isResponseAwaited && !answer.isSecret
        response = .streaming
        beginFlow(.response)
        client.send(message, isLast: false)
        forgetPauses()
        actorState?.answerBody = AnswerBody(
            bytes: isBodiless ? [] : answer.body, isRecorded: isRecorded)
        sendAnswer()
    }

    /// Sends the rest of an actor's answer, piece by piece: the next ones when the client has taken
    /// what waits for it.
    func sendAnswer() {
        guard let actorState, let body = actorState.answerBody, !body.isSending else { return }
        actorState.answerBody?.isSending = true
        while !isPaused, let piece = actorState.answerBody?.next() {
            if body.isRecorded { tap.appendResponseBody(piece.span, at: ports.now) }
            deliverAtPace(piece.span)
            pauseForRecorder()
        }
        actorState.answerBody?.isSending = false
        // It may have ended meanwhile.
        guard let rest = actorState.answerBody else { return }
        guard rest.isSent else {
            // Whoever takes nothing of an answer for as long as a server may be silent is gone: the
            // answer takes memory that other clients need.
            let now = ports.now
            bodyMoved(now: now)
            return limitDeadline(to: now &+ timeouts.responseNs)
        }
        actorState.answerBody = nil
        endResponse(now: ports.now)
    }

    /// If a response came from the server, it stays the recorded response, as far as it was read.
    /// An answer's body becomes the recorded one piece by piece as it is sent.
    private func record(_ answer: ExchangeAnswer, _ message: ForwardedResponse, isBodiless: Bool) {
        let body = isBodiless ? [] : answer.body
        guard isResponseAwaited else {
            if actorState?.isResponseUnread == true { tap.abandonResponse() }
            recordSentHead(of: message, isSecret: answer.isSecret)
            return recordSentBody(body, isKept: !answer.isSecret)
        }
        guard !answer.isSecret else {
            tap.setResponse(answer.head.withoutFields)
            return tap.countRelayed(fromClient: 0, fromServer: Int64(body.count))
        }
        tap.setResponse(client.recordedHead(of: message))
        if message.body == .chunked, let trailers = answer.trailers {
            tap.setResponseTrailers(trailers)
        }
    }

    /// Records that the client receives nothing of a pending response.
    func recordWithheld() {
        if case .pending = response { tap.record(.responseWithheld) }
    }

    /// Ends the exchange with its response incomplete; an HTTP/2 client always sees a reset.
    func end(_ end: ExchangeEnd, _ failure: ExchangeFailure) {
        let isBegun = if case .streaming = response { true } else { false }
        dropServer()
        noteOurReset()
        recordWithheld()
        endRecord(.failed, failure)
        switch end {
        case .close where isBegun: client.cutShort(.failure)
        case .close: client.endUnanswered()
        case .reset: client.cutShort(.clientGone)
        }
    }

    private func dropServer() {
        if case .open(let exchange) = server { exchange.cancel(.cancel) }
        server = .none
    }
}

extension ForwardedResponse {
    /// Adjusts the framing to the head and to the length of a replaced body.
    fileprivate mutating func fitBody(isBodiless: Bool, byteCount: Int?) {
        if isBodiless {
            body = .none
        } else if let byteCount, body != .chunked {
            body = .exactly(UInt64(byteCount))
        } else if body == .none {
            body = .exactly(0)
        }
    }
}

extension ResponseHead {
    /// The interim response that asks for the request body (RFC 9110 §15.2.1).
    fileprivate static let `continue` = ResponseHead(
        status: 100, reason: "Continue", fields: HeaderFields())

    /// The status line alone, for a head whose fields must not be recorded.
    fileprivate var withoutFields: ResponseHead {
        ResponseHead(status: status, reason: reason, fields: HeaderFields())
    }
}
