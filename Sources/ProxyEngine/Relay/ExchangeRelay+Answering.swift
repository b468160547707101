internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Answers that come from an actor instead of a server.
extension ExchangeRelay {
    /// Answers the client instead of the server.
    func answer(_ answer: ExchangeAnswer) {
        dropUpstream()
        let isBodiless = answer.head.isBodiless(to: client.requestMethod)
        let trailers = isBodiless ? nil : answer.trailers
        let message = ForwardedResponse(
            head: answer.head,
            body: trailers == nil ? .exactly(UInt64(answer.body.count)) : .chunked)
        record(answer, message, isBodiless: isBodiless)
        responseTrailers = trailers.flatMap { $0.isEmpty ? nil : $0 }
        let isRecorded = isResponseAwaited && !answer.isSecret
        response = .streaming
        if let pace = held?.actor?.pace { beginDownstreamFlow(pace) }
        client.send(message, isLast: false)
        forgetPauses()
        held?.answerBody = AnswerBody(
            bytes: isBodiless ? [] : answer.body, isRecorded: isRecorded)
        sendAnswer()
    }

    /// Sends the rest of an actor's answer, piece by piece: the next ones when the client has taken
    /// what waits for it.
    func sendAnswer() {
        guard let held, let body = held.answerBody, !body.isSending else { return }
        held.answerBody?.isSending = true
        while !isPaused, let piece = held.answerBody?.next() {
            if body.isRecorded { tap.appendResponseBody(piece.span, at: worker.now) }
            held.send(piece.span) { bytes in
                client.send(body: bytes)
                if client.isCongested { setUpstreamPaused(.slowPeer, true) }
            }
            pauseForRecorder()
        }
        held.answerBody?.isSending = false
        // It may have ended meanwhile.
        guard let rest = held.answerBody else { return }
        guard rest.isSent else { return answerMoved(now: worker.now) }
        held.answerBody = nil
        endResponse(now: worker.now)
    }

    /// Whoever takes nothing of an answer for as long as a server may be silent is gone: the answer
    /// takes memory that other clients need.
    private func answerMoved(now: Int64) {
        bodyMoved(now: now)
        limitDeadline(to: now &+ worker.configuration.responseTimeoutNs)
    }

    /// If a response came from the server, it stays the recorded response, as far as it was read.
    /// An answer's body becomes the recorded one piece by piece as it is sent.
    private func record(
        _ answer: ExchangeAnswer, _ message: ForwardedResponse, isBodiless: Bool
    ) {
        guard isResponseAwaited else {
            let body = isBodiless ? [] : answer.body
            if held?.isResponseUnread == true { tap.abandonResponse() }
            recordSentHead(of: message, isSecret: answer.isSecret)
            return answer.isSecret
                ? tap.countSentResponse(body.count) : tap.record(.sentResponseBody(body))
        }
        guard !answer.isSecret else {
            tap.setResponse(answer.head.withoutFields)
            let count = isBodiless ? 0 : answer.body.count
            return tap.countRelayed(fromClient: 0, fromServer: Int64(count))
        }
        tap.setResponse(client.recordedHead(of: message))
        if message.body == .chunked, let trailers = answer.trailers {
            tap.setResponseTrailers(trailers)
        }
    }

    /// Records that the client receives nothing of a response, if it has waited for an actor.
    func recordWithheld() {
        if case .held = response { tap.record(.responseWithheld) }
    }

    /// Ends the exchange without the rest of its response; an HTTP/2 client sees a reset stream in
    /// both cases.
    func end(_ end: ExchangeEnd, _ failure: ExchangeFailure) {
        let isBegun = if case .streaming = response { true } else { false }
        dropUpstream()
        noteOurReset()
        recordWithheld()
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
    /// The status line alone, for a head whose fields must not be recorded.
    var withoutFields: ResponseHead {
        ResponseHead(status: status, reason: reason, fields: HeaderFields())
    }
}
