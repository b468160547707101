internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// What the messages of a tried exchange would have become. Both sides are written as HTTP/1, so
/// that they differ only in what rules change.
extension RuleTrial.Outcome {
    mutating func setRequest(_ message: ForwardedRequest, _ decision: RequestDecision) {
        guard decision.ending == nil else {
            isUnsent = true
            return
        }
        let sent = decision.message
        let (old, new) = (message.url, sent.url)
        if (old.scheme, old.authority) != (new.scheme, new.authority) { server = new }
        guard let came = RuleTrial.head(of: message), let went = RuleTrial.head(of: sent) else {
            return
        }
        exchange.request.head = came
        exchange.request.sentHead = came.bytes == went.bytes && decision.body == nil ? nil : went
        exchange.request.sentBody = decision.body.map { Body($0) }
    }

    /// - Parameter lines: The body with its lines edited; nil if it was not edited line by line.
    mutating func setResponse(
        _ message: ForwardedResponse, _ body: Body, _ decision: ResponseDecision, lines: [UInt8]?,
        to method: HTTPMethod
    ) {
        if let block = decision.block { return end(block, method) }
        guard let came = RuleTrial.head(of: message, to: method),
            let went = RuleTrial.head(of: decision.message, to: method)
        else { return }
        let edited = (decision.body ?? lines).map { Body($0) }
        if isUnsent {
            setAnswer(went, edited ?? body)
        } else {
            exchange.response?.head = came
            exchange.response?.sentHead = came.bytes == went.bytes && edited == nil ? nil : went
            exchange.response?.sentBody = edited
        }
    }

    /// Ends the exchange without an answer, or with a status alone.
    mutating func end(_ block: RuleBlock, _ method: HTTPMethod) {
        guard case .status(let status) = block else {
            end = block.text
            exchange.response = nil
            return
        }
        let answer = ForwardedResponse(head: RuleAnswer(status: status).head, body: .exactly(0))
        if let head = RuleTrial.head(of: answer, to: method) { setAnswer(head, Body()) }
    }

    /// Puts an answer in the place of the captured response.
    private mutating func setAnswer(_ head: ResponseHead, _ body: Body) {
        guard exchange.response != nil else {
            exchange.response = Response(head: head, body: body)
            return
        }
        exchange.response?.sentHead = head
        exchange.response?.sentBody = body
    }
}

extension RuleTrial {
    fileprivate static func head(of message: ForwardedRequest) -> RequestHead? {
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(message, into: &bytes)
        return try? HeadParser.parseRequestHead(bytes)
    }

    fileprivate static func head(
        of message: ForwardedResponse, to method: HTTPMethod
    ) -> ResponseHead? {
        var bytes: [UInt8] = []
        let recipient = HTTP1Recipient(version: .http11, requestMethod: method, isPersistent: true)
        HTTP1HeadWriter.write(message, to: recipient, into: &bytes)
        return try? HeadParser.parseResponseHead(bytes)
    }
}
