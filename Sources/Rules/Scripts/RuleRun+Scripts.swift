public import ProxydHTTPModel
public import ProxydHTTPWire

extension RuleRun {
    /// Returns the next question to a script about a request, or nil if there is none left.
    /// - Parameter body: What is known about its body.
    public func nextQuestion(
        _ decision: inout RequestDecision, body: RuledBody, of exchange: ExchangeID
    ) -> ScriptQuestion? {
        while !decision.scripts.isEmpty {
            let point = decision.scripts.removeFirst()
            guard decision.ending == nil else {
                decision.notes.noteUnasked(point, .request)
                continue
            }
            let body = decision.body.map(RuledBody.whole) ?? body
            return ScriptQuestion(
                point: point, exchange: exchange, content: .request(decision.message, body))
        }
        return nil
    }

    /// Returns the next question to a script about a response, or nil if there is none left.
    /// - Parameters:
    ///   - body: What is known about its body.
    ///   - request: The request that it answers, as it came.
    public func nextQuestion(
        _ decision: inout ResponseDecision, body: RuledBody, to request: ForwardedRequest,
        of exchange: ExchangeID
    ) -> ScriptQuestion? {
        guard decision.block == nil, !decision.scripts.isEmpty else { return nil }
        let point = decision.scripts.removeFirst()
        let body = decision.body.map(RuledBody.whole) ?? body
        return ScriptQuestion(
            point: point, exchange: exchange,
            content: .response(decision.message, body, to: request))
    }

    /// Applies a script's answer about a request, and records it.
    public mutating func settle(
        _ decision: inout RequestDecision, _ question: ScriptQuestion, _ end: ScriptEnd
    ) {
        decision.notes.note(question.point, .request, end)
        switch end {
        case .unchanged: break
        case .changed(let content, _): decision = resume(decision, as: content)
        case .answered(let answer): decision.ending = .answer(answer)
        case .failed where question.point.call.otherwise == .fail:
            decision.ending = .block(.status(502))
        case .failed: break
        }
    }

    /// Applies a script's answer about a response, and records it.
    public mutating func settle(
        _ decision: inout ResponseDecision, _ question: ScriptQuestion, _ end: ScriptEnd
    ) {
        decision.notes.note(question.point, .response, end)
        switch end {
        case .unchanged: break
        case .changed(let content, _): decision.become(content)
        case .answered(let answer):
            decision.isAnswer = true
            decision.message.head = answer.head
            decision.message.body = .exactly(UInt64(answer.body.count))
            decision.body = answer.body
        case .failed where question.point.call.otherwise == .fail:
            decision.block = .status(502)
        case .failed: break
        }
    }
}

extension RequestDecision {
    /// Whether a script needs the body.
    public var sendsBody: Bool { scripts.contains { $0.call.sendsBody } }
}

extension ResponseDecision {
    /// Whether a script needs the body.
    public var sendsBody: Bool { scripts.contains { $0.call.sendsBody } }
}

extension PhaseNotes {
    /// Records a script's answer.
    fileprivate mutating func note(_ point: ScriptPoint, _ phase: RulePhase, _ end: ScriptEnd) {
        let script = point.call.script
        let (outcome, detail): (String, String)
        switch end {
        case .unchanged: (outcome, detail) = ("unchanged", script)
        case .changed(_, let what): (outcome, detail) = ("changed", "\(script): \(what)")
        case .answered(let answer):
            (outcome, detail) = ("answered", "\(script): status \(answer.status)")
        case .failed(let reason): (outcome, detail) = ("failed", "\(script): \(reason)")
        }
        applied.append(
            AppliedRule(rule: point.rule, phase: phase, outcome: outcome, detail: detail))
    }

    /// Records that a script was not run, because the request is not forwarded.
    fileprivate mutating func noteUnasked(_ point: ScriptPoint, _ phase: RulePhase) {
        applied.append(
            AppliedRule(rule: point.rule, phase: phase, outcome: "not run: a rule answered"))
    }
}
