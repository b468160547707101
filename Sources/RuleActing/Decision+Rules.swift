internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydRules

extension Decision {
    /// Records what rules did.
    func note(_ notes: PhaseNotes) {
        for applied in notes.applied { note(.appliedRule(applied)) }
        for tag in notes.tags { note(.tagged(tag)) }
    }
}

extension Decision where Verdict: EndingVerdict {
    /// Ends the exchange as a block says.
    func end(_ block: RuleBlock, _ notes: PhaseNotes) {
        switch block {
        case .status(let status): make(.answer(ExchangeAnswer(RuleAnswer(status: status))))
        case .close: make(.end(.close, because: .blocked(notes)))
        case .reset: make(.end(.reset, because: .blocked(notes)))
        case .hang: break  // Never decided: the client waits until it leaves.
        }
    }
}

extension Decision where Verdict: EndingVerdict {
    /// Ends the exchange where someone who was asked said so; false where it goes on.
    func end(_ end: HoldEnd, _ notes: PhaseNotes) -> Bool {
        switch end.fate {
        case .unchanged, .changed, .clientGone: return false
        case .answered(let answer):
            note(notes)
            make(.answer(ExchangeAnswer(answer)))
        case .dropped:
            note(notes)
            make(.end(.close, because: .blocked(notes)))
        }
        return true
    }
}

/// Goes on after the delays, each with its jitter, and the time that a network takes; at once
/// where there is nothing to wait for.
func after(
    _ delays: [RuleDelay], networkNs: Int64 = 0, on loop: EventLoop,
    _ goOn: @escaping () -> Void
) {
    let milliseconds = delays.map { delay in
        delay.milliseconds &+ Int.random(in: 0...delay.jitterMilliseconds)
    }
    let total = Int64(milliseconds.reduce(0, +)) &* 1_000_000 &+ networkNs
    guard total > 0 else { return goOn() }
    wait(until: EventLoop.monotonicNow() &+ total, on: loop, goOn)
}

/// Goes on at a time and not before, by the clock that the record goes by: timers may be some
/// milliseconds early.
private func wait(until deadline: Int64, on loop: EventLoop, _ goOn: @escaping () -> Void) {
    loop.schedule(afterNs: max(1, deadline &- EventLoop.monotonicNow())) {
        guard loop.now < deadline else { return goOn() }
        wait(until: deadline, on: loop, goOn)
    }
}

extension ExchangeAnswer {
    /// What a rule answers.
    init(_ answer: RuleAnswer) {
        self.init(head: answer.head, body: answer.body, trailers: answer.trailers)
    }

    /// What is left of an answer after response rules.
    init(_ decided: ResponseDecision, or answer: RuleAnswer? = nil) {
        self.init(
            head: decided.message.head, body: decided.body ?? answer?.body ?? [],
            isSecret: decided.message.options.isSecret,
            trailers: decided.isAnswer ? nil : answer?.trailers)
    }
}

extension ExchangeFailure {
    /// A rule ended the exchange.
    static func blocked(_ notes: PhaseNotes) -> ExchangeFailure {
        ExchangeFailure(
            origin: .rule, kind: .blocked, message: notes.applied.last?.rule ?? "")
    }
}
