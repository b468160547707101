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

    /// If a response came from the server, it stays the recorded response, as far as it was read.
    private func record(
        _ answer: ExchangeAnswer, _ message: ForwardedResponse, isBodiless: Bool
    ) {
        let body = isBodiless ? [] : answer.body
        guard isResponseAwaited else {
            if held?.isResponseUnread == true { tap.abandonResponse() }
            recordSentHead(of: message, isSecret: answer.isSecret)
            return answer.isSecret
                ? tap.countSentResponse(body.count) : tap.record(.sentResponseBody(body))
        }
        guard !answer.isSecret else { return tap.setResponse(answer.head.withoutFields) }
        tap.setResponse(client.recordedHead(of: message))
        if !isBodiless { tap.appendResponseBody(body.span, at: worker.now) }
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
