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

    /// If a response came from the server, it stays the recorded response.
    func record(
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
