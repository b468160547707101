public import ProxydHTTPModel
public import ProxydHTTPWire

extension RuleRun {
    /// The request that a rule holds; nil where none does.
    /// - Parameter body: What came of its body.
    public func held(
        _ decision: RequestDecision, body: RuledBody, of exchange: ExchangeID
    ) -> HeldMessage? {
        guard decision.ending == nil, let point = decision.hold else { return nil }
        let body = decision.body.map(RuledBody.whole) ?? body
        return HeldMessage(
            .request(decision.message, body), of: exchange, by: point, over: connection)
    }

    /// The response that a rule holds; nil where none does.
    public func held(
        _ decision: ResponseDecision, body: RuledBody, to request: ForwardedRequest,
        of exchange: ExchangeID
    ) -> HeldMessage? {
        guard decision.block == nil, let point = decision.hold else { return nil }
        let body = decision.body.map(RuledBody.whole) ?? body
        return HeldMessage(
            .response(decision.message, body, to: request), of: exchange, by: point,
            over: connection)
    }

    /// A request goes on as someone edited it: rules that look at what was changed see that.
    public mutating func resume(
        _ decision: RequestDecision, as content: HeldMessage.Content
    ) -> RequestDecision {
        guard case .request(let message, let body) = content else { return decision }
        var decision = decision
        decision.message = message
        decision.body = body.octets
        keepRequest(decision)
        return decision
    }
}

extension RequestDecision {
    /// Notes how holding it ended.
    public mutating func note(_ end: HoldEnd) {
        if let hold { notes.note(hold, .request, end) }
    }

    /// Notes why it was not held.
    public mutating func note(_ problem: NotHeld) {
        if let hold { notes.note(hold, .request, problem) }
    }
}

extension ResponseDecision {
    /// Notes how holding it ended.
    public mutating func note(_ end: HoldEnd) {
        if let hold { notes.note(hold, .response, end) }
    }

    /// Notes why it was not held.
    public mutating func note(_ problem: NotHeld) {
        if let hold { notes.note(hold, .response, problem) }
    }

    /// The response as someone edited it.
    public mutating func become(_ content: HeldMessage.Content) {
        guard case .response(let message, let body, _) = content else { return }
        self.message = message
        self.body = body.octets
    }
}

extension ForwardedResponse {
    /// Whether its body may never end, so that it is not waited for.
    public var mayNeverEnd: Bool { head.fields.isEndless }
}
