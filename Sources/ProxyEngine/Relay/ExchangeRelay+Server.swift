internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// What comes from the server.
extension ExchangeRelay {
    func exchange(
        _ exchange: ClientExchange, didSendHead bytes: [UInt8], notes: ForwardingNotes
    ) {
        tap.noteForwarding(notes, head: bytes)
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
        tap.setRefused(response.head.bytes, reason: objection.message)
        giveUp(objection, answer: .badGateway(objection))
    }

    func markResponseHead(_ exchange: ClientExchange, now: Int64) {
        tap.setTimeline { timeline in
            if let sent = exchange.sentLastAt { timeline.markOnce(.sendEnd, at: sent) }
            timeline.markOnce(.responseFirstByte, at: exchange.firstByteAt ?? now)
            timeline.markOnce(.responseHead, at: now)
        }
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody bytes: Span<UInt8>) {
        let now = worker.now
        bodyMoved(now: now)
        tap.appendResponseBody(bytes, at: now)
        switch response {
        case .streaming: passOn(responseBody: bytes)
        case .held: hold(responseBody: bytes)
        case .awaited, .finished: return
        }
        pauseForRecorder()
    }

    /// Passes on a piece of the response body, through the actor's editor or pace if there is one.
    func passOn(responseBody bytes: Span<UInt8>) {
        guard let held else { return deliver(bytes) }
        if let body = held.editedBody {
            body.push(bytes)
        } else {
            held.send(bytes, else: deliver)
        }
    }

    /// Sends a piece of the response body to the client.
    func deliver(_ bytes: Span<UInt8>) {
        if let held, held.dropsResponseBody { return }
        client.send(body: bytes)
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
        tap.setRefused(exchange.refusedBytes, reason: "bytes came after the end of the response")
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
    func noteFault(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        tap.setRepairs(exchange.repairs)
        // If the server is not to blame, its response was merely incomplete.
        let reason =
            failure.origin == .upstream
            ? failure.message : "the response was not complete yet: \(failure.message)"
        tap.setRefused(exchange.refusedBytes, reason: reason)
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
            let bytes = head.bytes + early.array
            tap.setRefused(bytes, reason: ExchangeFailure.unaskedSwitch.message)
            return giveUp(.unaskedSwitch, answer: .badGateway(.unaskedSwitch))
        }
        markResponseHead(exchange, now: worker.now)
        tap.setResponse(head)
        switchProtocols(
            SwitchedServer(
                stream: stream, name: name, head: head,
                early: early.array))
    }
}
