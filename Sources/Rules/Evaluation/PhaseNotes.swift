public import ProxydHTTPModel

/// What the rules of one phase did, apart from changing the message.
public struct PhaseNotes: Sendable {
    /// What each matching rule did, in order.
    public internal(set) var applied: [AppliedRule] = []
    /// Tags to add to the record.
    public internal(set) var tags: [String] = []
    /// How long the message waits; the delays add up.
    public internal(set) var delays: [RuleDelay] = []
    /// The throttle of the message and the rule that set it; the last one wins.
    public internal(set) var throttle: (rule: String, RuleThrottle)?
    /// Whether a secret value was inserted, which must not appear in the store or the log.
    var hasSecret = false

    /// Records what a rule did. The outcomes of holding a message, of running a script, and of
    /// editing a streaming body are recorded later.
    mutating func note(_ rule: Rule, _ phase: RulePhase, _ outcomes: [RuleOutcome]) {
        let settled = outcomes.filter { !$0.isNotedLater }
        if settled.isEmpty, !outcomes.isEmpty { return }
        let outcomes = settled
        let (word, detail) = RuleOutcome.summary(of: outcomes)
        applied.append(AppliedRule(rule: rule.name, phase: phase, outcome: word, detail: detail))
    }

    /// Records how the hold of a message ended.
    mutating func note(
        _ point: HoldPoint, _ phase: RulePhase, _ end: HoldEnd, at time: AppliedRule.Hold?
    ) {
        applied.append(point.applied(in: phase, end, at: time))
    }

    /// Records that a message was not held.
    mutating func note(_ point: HoldPoint, _ phase: RulePhase, _ problem: NotHeld) {
        applied.append(AppliedRule(rule: point.rule, phase: phase, outcome: problem.outcome))
    }

    /// Applies a verb that is the same in all phases; returns nil for any other verb.
    mutating func apply(_ verb: RuleVerb, of rule: Rule) -> RuleOutcome? {
        switch verb {
        case .delay(let delay):
            delays.append(delay)
            return .delayed("\(delay.milliseconds) ms")
        case .throttle(let network):
            throttle = (rule.name, network)
            return .throttled(network.name)
        case .tag(let text):
            tags.append(text)
            return .tagged
        default: return nil
        }
    }
}
