public import ProxydHTTPModel
public import ProxydHTTPWire

extension RuleRun {
    /// Returns the request that a rule holds, or nil if none does.
    /// - Parameter body: What is known about its body.
    public func held(
        _ decision: RequestDecision, body: RuledBody, of exchange: ExchangeID
    ) -> HeldMessage? {
        guard decision.ending == nil, let point = decision.hold else { return nil }
        let body = decision.body.map(RuledBody.whole) ?? body
        return HeldMessage(
            .request(decision.message, body), of: exchange, by: point, over: connection)
    }

    /// Returns the response that a rule holds, or nil if none does.
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

    /// Continues with a request as it was edited: rules that examine the changed request see the
    /// edits.
    public mutating func resume(
        _ decision: RequestDecision, as content: HeldMessage.Content
    ) -> RequestDecision {
        guard case .request(let message, let body) = content else { return decision }
        var decision = decision
        decision.message = message
        decision.body = body.bytes
        keepRequest(decision)
        return decision
    }
}

extension RequestDecision {
    /// Records how the hold ended, and when the message was held, on the monotonic clock.
    public mutating func note(_ end: HoldEnd, at time: AppliedRule.Hold? = nil) {
        if let hold { notes.note(hold, .request, end, at: time) }
    }

    /// Records why the request was not held.
    public mutating func note(_ problem: NotHeld) {
        if let hold { notes.note(hold, .request, problem) }
    }
}

extension ResponseDecision {
    /// Records how the hold ended, and when the message was held, on the monotonic clock.
    public mutating func note(_ end: HoldEnd, at time: AppliedRule.Hold? = nil) {
        if let hold { notes.note(hold, .response, end, at: time) }
    }

    /// Records why the response was not held.
    public mutating func note(_ problem: NotHeld) {
        if let hold { notes.note(hold, .response, problem) }
    }

    /// Replaces the response with its edited form.
    public mutating func become(_ content: HeldMessage.Content) {
        guard case .response(let message, let body, _) = content else { return }
        self.message = message
        self.body = body.bytes
    }
}

extension ForwardedResponse {
    /// Whether its body may never end, so that it is not held until complete.
    public var mayNeverEnd: Bool { head.fields.isEndless }
}
