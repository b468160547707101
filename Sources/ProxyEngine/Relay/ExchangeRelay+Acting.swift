internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// The phases of an exchange that an actor acts on. While it decides, what arrives is held, sources
/// are paused once much has arrived, and deadlines do not run.
extension ExchangeRelay {
    // MARK: Connect

    /// Holds a request, starting with its head.
    func hold(
        _ request: consuming OutgoingRequest, prepared: PreparedConnection?, in held: HeldMessages
    ) {
        let hasBody = !request.message.body.isSame(as: BodyLength.none)
        held.begin(request, prepared: prepared)
        upstream = .held
        // The end of a request without content follows immediately: an actor that answers finds the
        // request complete, and the client's connection stays open.
        held.waitsForEnd = !hasBody
        if hasBody { askAboutConnection(in: held) }
    }

    private func askAboutConnection(in held: HeldMessages) {
        guard client.namesServers else { return askWhoActs() }
        guard let url = held.request?.message.url else { return }
        let connection = client.connection
        let asked = AskedConnection(
            client: connection.id, peer: connection.peer, process: connection.record.process,
            arrival: connection.record.arrival, user: tap.user, host: url.host, port: url.port,
            isTunnel: false)
        ask {
            held.traffic.connect(asked, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let route, let pace), .withoutServer(let route, let pace, _):
                if let route { relay.retarget { $0.with(route: route.counting($0.route)) } }
                relay.askWhoActs(at: pace)
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    /// Asks an actor a question; the answer is ignored if the relay has ended in the meantime.
    func ask<Verdict>(
        _ question: (Decision<Verdict>) -> Void,
        then: @escaping (ExchangeRelay, Verdict) -> Void
    ) {
        held?.ask(on: worker.loop, recordingIn: tap, question) { [weak self] (verdict: Verdict) in
            guard let self else { return }
            bodyMoved(now: worker.now)
            then(self, verdict)
        }
    }

    private func retarget(_ change: (ConnectTarget) -> ConnectTarget) {
        guard let request = held?.request else { return }
        let target = change(request.target)
        // A connection that is already established leads where CONNECT said.
        if target != request.target { held?.prepared = nil }
        held?.request = OutgoingRequest(target: target, message: request.message)
    }

    // MARK: Request

    private func askWhoActs(at pace: (any PaceActor)? = nil) {
        guard let held, let request = held.request, let head = held.requestHead else { return }
        let connection = client.connection
        let exchange = ActedExchange(
            id: tap.id, client: connection.id, peer: connection.peer,
            process: connection.record.process, arrival: connection.record.arrival,
            user: tap.user, requestHead: head, pace: pace)
        guard let actor = held.traffic.actor(for: exchange, request.message) else {
            return release()
        }
        held.actor = actor
        ask {
            actor.requestHead(request.message, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let message, let plan): relay.take(message, plan)
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    private func take(_ message: ForwardedRequest, _ plan: BodyPlan) {
        setRequest(message)
        guard let held else { return }
        switch plan {
        case .stream, .edited: askUpstream()
        case .whole(let byteCountMax, let budget):
            held.requestContent.want(byteCountMax: byteCountMax, from: budget)
            client.setPaused(.held, held.requestContent.isMuch)
            askForBody()
            askAboutRequestBody()
        }
    }

    /// Replaces the request to forward; it goes to another server if its URL was changed.
    private func setRequest(_ message: ForwardedRequest) {
        guard let held, let before = held.request else { return }
        let (old, new) = (before.message.url, message.url)
        held.request = OutgoingRequest(target: before.target, message: message)
        if message.options.isSecret { tap.hidesSentRequest = true }
        guard old.scheme != new.scheme || old.host != new.host || old.port != new.port else {
            return
        }
        let target = worker.configuration.target(of: new)
        retarget { old in
            // What rules chose for the first server does not hold for another, except its way.
            guard let route = old.route?.withoutServer else { return target }
            return target.with(route: route)
        }
    }

    /// Sends 100 (Continue). A client that waits for it would wait forever: the server is not asked
    /// before the body is complete, or never sees the expectation (RFC 9110 §10.1.1).
    private func askForBody() {
        guard let held, held.requestHead?.expectsContinue == true,
            held.request?.message.options.isExpectationMet == false,
            held.requestContent.body.isEmpty, !held.requestContent.isComplete
        else { return }
        held.changeRequest { $0.options.isExpectationMet = true }
        client.send(informational: ForwardedResponse(head: .continue, body: .none))
    }

    func hold(requestBody octets: Span<UInt8>) {
        guard let held else { return }
        held.requestContent.append(octets)
        if held.requestContent.isMuch { client.setPaused(.held, true) }
        askAboutRequestBody()
    }

    func holdRequestEnd(trailers: HeaderFields?) {
        held?.requestContent.isComplete = true
        held?.requestContent.trailers = trailers
        if let held, held.waitsForEnd {
            held.waitsForEnd = false
            askAboutConnection(in: held)
        } else {
            askAboutRequestBody()
        }
    }

    /// Asks about the whole body, if it was wanted, once it is complete or too large.
    private func askAboutRequestBody() {
        guard let held, let actor = held.actor, let message = held.request?.message,
            held.requestContent.wantedByteCountMax != nil,
            held.requestContent.isComplete || held.requestContent.isTooLarge
        else { return }
        let body = held.requestContent.isTooLarge ? nil : held.requestContent.body
        held.requestContent.wantedByteCountMax = nil
        ask {
            actor.requestBody(body, of: message, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let message, let replacement):
                relay.setRequest(message)
                if let replacement, body != nil { relay.replaceRequestBody(replacement) }
                relay.askUpstream()
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    private func replaceRequestBody(_ body: [UInt8]) {
        guard let held, let framing = held.request?.message.body else { return }
        if body != held.requestContent.body, !tap.hidesSentRequest {
            tap.record(.sentRequestBody(body))
        }
        if body != held.requestContent.body { held.requestContent.trailers?.removeDigests() }
        held.requestContent.body = body
        guard framing != .chunked else { return }
        let isNothing = body.isEmpty && framing == .none
        held.changeRequest { $0.body = isNothing ? .none : .exactly(UInt64(body.count)) }
    }

    // MARK: Upstream chosen

    private func askUpstream() {
        guard let held, let actor = held.actor, let target = held.request?.target else { return }
        ask {
            actor.upstreamChosen(target, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let target):
                relay.retarget { _ in target }
                relay.release()
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    /// Sends the request, with the part of its body that has arrived.
    private func release() {
        guard let held else { return }
        if held.actor != nil { held.noteChangedRequest() }
        if held.request?.message.head.expectsContinue == false { askForBody() }
        guard let request = held.request else { return }
        let content = held.requestContent
        held.request = nil
        held.requestContent = HeldContent()
        let prepared = held.prepared
        held.prepared = nil
        open(request, prepared: prepared)
        guard case .open(let exchange) = upstream else { return }
        if let pace = held.actor?.pace { beginUpstreamFlow(pace, exchange) }
        if !content.body.isEmpty {
            if let flow = held.upstreamFlow {
                flow.push(content.body.span)
            } else {
                send(content.body.span, to: exchange)
            }
        }
        if content.isComplete {
            awaitResponse(now: worker.now)
            finishBody(of: exchange, trailers: content.trailers)
        }
        client.setPaused(.held, held.upstreamFlow?.isPaused ?? false)
        if held.actor == nil { held.end() }
    }

    private func beginUpstreamFlow(_ pace: any PaceActor, _ exchange: ClientExchange) {
        held?.upstreamFlow = PacedFlow(
            pace, .upstream, on: worker.loop, note: tap.record,
            deliver: { [weak self] in
                guard let self else { return }
                bodyMoved(now: worker.now)
                send($0, to: exchange)
            },
            setPaused: { [weak self] in self?.client.setPaused(.held, $0) },
            breakOff: { [weak self] in self?.end($0, $1) })
    }

    /// What is decided about a response applies to its body.
    private func beginDownstreamFlow(_ pace: any PaceActor) {
        held?.downstreamFlow = PacedFlow(
            pace, .downstream, on: worker.loop, note: tap.record,
            deliver: { [weak self] in
                guard let self else { return }
                bodyMoved(now: worker.now)
                deliver($0)
            },
            setPaused: { [weak self] in self?.setUpstreamPaused(.held, $0) },
            breakOff: { [weak self] in self?.end($0, $1) })
    }

    // MARK: Response

    /// Holds a response, starting with its head, which may differ from the one received.
    func hold(_ response: ForwardedResponse, received: ResponseHead) {
        guard let held, let actor = held.actor else { return }
        self.response = .held
        held.response = response
        held.responseHead = received
        held.responseLength = response.body
        ask {
            actor.responseHead(response, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let message, .stream): relay.release(message)
            case .pass(let message, .edited(let editor)): relay.release(message, editor: editor)
            case .pass(let message, .whole(let byteCountMax, let budget)):
                relay.wantResponseBody(of: message, byteCountMax: byteCountMax, from: budget)
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    private func wantResponseBody(
        of message: ForwardedResponse, byteCountMax: Int, from budget: ByteBudget?
    ) {
        guard let held else { return }
        held.response = message
        held.responseContent.want(byteCountMax: byteCountMax, from: budget)
        setUpstreamPaused(.held, held.responseContent.isMuch)
        askAboutResponseBody()
    }

    func hold(responseBody octets: Span<UInt8>) {
        guard let held else { return }
        held.responseContent.append(octets)
        if held.responseContent.isMuch { setUpstreamPaused(.held, true) }
        askAboutResponseBody()
    }

    func holdResponseEnd(trailers: HeaderFields?) {
        held?.responseContent.isComplete = true
        askAboutResponseBody()
    }

    /// Asks about the whole body, if it was wanted, once it is complete or too large.
    private func askAboutResponseBody() {
        guard let held, let actor = held.actor, let message = held.response,
            held.responseContent.wantedByteCountMax != nil,
            held.responseContent.isComplete || held.responseContent.isTooLarge
        else { return }
        let body = held.responseContent.isTooLarge ? nil : held.responseContent.body
        held.responseContent.wantedByteCountMax = nil
        ask {
            actor.responseBody(body, of: message, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let message, let replacement):
                relay.release(message, body: body == nil ? nil : replacement)
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    /// Sends the response with the part of its body that has arrived, with another body, or with
    /// its own body, changed while it streams.
    private func release(
        _ message: ForwardedResponse, body replacement: [UInt8]? = nil,
        editor: (any FlowingBodyEditor)? = nil
    ) {
        guard let held else { return }
        var message = message
        let isBodiless = message.head.isBodiless(to: held.requestHead?.method ?? .get)
        message.fitBody(isBodiless: isBodiless, byteCount: replacement?.count)
        if let objection = client.objection(to: message) {
            return refuse(message, because: objection)
        }
        let isKept = !message.options.isSecret
        let hasSameLength = message.body.isSame(as: held.responseLength)
        if message.head != held.responseHead || !hasSameLength, isKept {
            recordSentHead(of: message)
        }
        held.dropsResponseBody = isBodiless
        if isBodiless, !hasSameLength, isKept { tap.record(.sentResponseBody([])) }
        if let replacement, !isBodiless { replaceResponseBody(replacement, isKept: isKept) }
        if let editor, !isBodiless {
            held.editedBody = EditedBody(
                editor, recordingIn: tap, isKept: isKept,
                deliver: { [weak self] octets in
                    guard let self else { return }
                    bodyMoved(now: worker.now)
                    self.held?.send(octets, else: deliver)
                },
                setPaused: { [weak self] in self?.setUpstreamPaused(.edited, $0) })
        }
        if let pace = held.actor?.pace { beginDownstreamFlow(pace) }
        let content = held.responseContent
        held.response = nil
        held.responseContent = HeldContent()
        response = .streaming
        client.send(message, isLast: endsBoundConnection)
        if !content.body.isEmpty { passOn(responseBody: content.body.span) }
        setUpstreamPaused(.held, held.downstreamFlow?.isPaused ?? false)
        if content.isComplete { endResponse(now: worker.now) }
    }

    /// The last byte of the response body has arrived, and was edited if there is an editor.
    func endResponseFlow() {
        guard let flow = held?.downstreamFlow else { return complete(now: worker.now) }
        flow.whenGone { [weak self] in
            guard let self else { return }
            complete(now: worker.now)
        }
    }

    /// Cuts a response short after the bytes that the server sent: first the client gets what is
    /// being edited, what was held back for the end of a line, and what waits for the pace.
    func cutShortInOrder(_ failure: ExchangeFailure, _ cause: CutCause) {
        guard let body = held?.editedBody else { return cutShortAtPace(failure, cause) }
        body.finish { [weak self] in self?.cutShortAtPace(failure, cause) }
    }

    private func cutShortAtPace(_ failure: ExchangeFailure, _ cause: CutCause) {
        guard let flow = held?.downstreamFlow else { return cutShort(failure, cause) }
        flow.whenGone { [weak self] in self?.cutShort(failure, cause) }
    }

    private func replaceResponseBody(_ body: [UInt8], isKept: Bool) {
        guard let held, body != held.responseContent.body else { return }
        if isKept { tap.record(.sentResponseBody(body)) }
        held.responseContent.body = body
        dropDigestsOfResponse()
    }

    /// Records a head as the client gets it; for an HTTP/1 client in the form of HTTP/1.1, with its
    /// framing.
    func recordSentHead(of message: ForwardedResponse) {
        guard client.streamID == nil else {
            return tap.record(.sentResponseHead(client.recordedHead(of: message).octets))
        }
        let recipient = HTTP1Recipient(
            version: .http11, requestMethod: held?.requestHead?.method ?? .get,
            isPersistent: true)
        var octets: [UInt8] = []
        HTTP1HeadWriter.write(message, to: recipient, into: &octets)
        tap.record(.sentResponseHead(octets))
    }

    private var endsBoundConnection: Bool {
        if case .open(let exchange) = upstream { exchange.endsBoundConnection } else { false }
    }

    // MARK: Instead of the server

    /// Answers the client instead of the server.
    func answer(_ answer: ExchangeAnswer) {
        dropUpstream()
        let isBodiless = answer.head.isBodiless(to: held?.requestHead?.method ?? .get)
        let trailers = isBodiless ? nil : answer.trailers
        let message = ForwardedResponse(
            head: answer.head,
            body: trailers == nil ? .exactly(UInt64(answer.body.count)) : .chunked)
        record(answer, message, isBodiless: isBodiless)
        responseTrailers = trailers.flatMap { $0.isEmpty ? nil : $0 }
        response = .streaming
        if let pace = held?.actor?.pace { beginDownstreamFlow(pace) }
        client.send(message, isLast: false)
        if !isBodiless, !answer.body.isEmpty {
            if let flow = held?.downstreamFlow {
                flow.push(answer.body.span)
            } else {
                client.send(body: answer.body.span)
            }
        }
        endResponse(now: worker.now)
    }

    /// If a response came from the server, it stays the recorded response.
    private func record(
        _ answer: ExchangeAnswer, _ message: ForwardedResponse, isBodiless: Bool
    ) {
        if answer.isSecret {
            let head = ResponseHead(
                status: answer.head.status, reason: answer.head.reason, fields: HeaderFields())
            if isResponseAwaited { tap.setResponse(head) }
        } else if isResponseAwaited {
            tap.setResponse(client.recordedHead(of: message))
            if !isBodiless { tap.appendResponseBody(answer.body.span, at: worker.now) }
            if let trailers = message.body == .chunked ? answer.trailers : nil {
                tap.setResponseTrailers(trailers)
            }
        } else {
            recordSentHead(of: message)
            if !isBodiless { tap.record(.sentResponseBody(answer.body)) }
        }
    }

    /// Ends the exchange without the rest of its response; an HTTP/2 client sees a reset stream in
    /// both cases.
    func end(_ end: ExchangeEnd, _ failure: ExchangeFailure) {
        let isBegun = if case .streaming = response { true } else { false }
        dropUpstream()
        noteOurReset()
        finish(.failed, failure: failure)
        switch end {
        case .close where isBegun: client.cutShort(.failure)
        case .close: client.endUnanswered()
        case .reset: client.cutShort(.clientGone)
        }
    }

    private func dropUpstream() {
        if case .open(let exchange) = upstream { exchange.cancel() }
        upstream = .none
    }
}

extension ResponseHead {
    /// The interim response that asks for the request body (RFC 9110 §15.2.1).
    fileprivate static let `continue` = ResponseHead(
        status: 100, reason: "Continue", fields: HeaderFields())
}

extension ForwardedResponse {
    /// Adjusts the framing to the head and to the length of a replaced body, since either may have
    /// been changed.
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
