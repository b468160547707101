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

    func hold(requestBody bytes: Span<UInt8>) {
        guard let held else { return }
        held.requestContent.append(bytes)
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
    func release() {
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
    func beginDownstreamFlow(_ pace: any PaceActor) {
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
}

extension ResponseHead {
    /// The interim response that asks for the request body (RFC 9110 §15.2.1).
    fileprivate static let `continue` = ResponseHead(
        status: 100, reason: "Continue", fields: HeaderFields())
}
