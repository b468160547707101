public import ProxydHTTPModel

/// What the rules of one phase came to, beside the message itself.
public struct PhaseNotes: Sendable {
    /// What each rule that matched did, in order.
    public internal(set) var applied: [AppliedRule] = []
    /// What the record is marked with.
    public internal(set) var tags: [String] = []
    /// How long the message waits: the delays add up.
    public internal(set) var delays: [RuleDelay] = []
    /// What slows the message down, and by which rule; of several the last counts.
    public internal(set) var throttle: (rule: String, RuleThrottle)?
    /// Whether a value was put in that is left out of store and log.
    var hasSecret = false

    /// Notes what a rule did. What comes of holding a message, of asking a script, and of editing a
    /// body while it flows is noted when that is over.
    mutating func note(_ rule: Rule, _ phase: RulePhase, _ outcomes: [RuleOutcome]) {
        let settled = outcomes.filter { !$0.isNotedLater }
        if settled.isEmpty, !outcomes.isEmpty { return }
        let outcomes = settled
        let (word, detail) = RuleOutcome.summary(of: outcomes)
        applied.append(AppliedRule(rule: rule.name, phase: phase, outcome: word, detail: detail))
    }

    /// Notes what came of holding a message.
    mutating func note(_ point: HoldPoint, _ phase: RulePhase, _ end: HoldEnd) {
        applied.append(point.applied(in: phase, end))
    }

    /// Notes that a message was not held.
    mutating func note(_ point: HoldPoint, _ phase: RulePhase, _ problem: NotHeld) {
        applied.append(AppliedRule(rule: point.rule, phase: phase, outcome: problem.outcome))
    }

    /// Does what is the same in all phases; nil where it is another kind of action.
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
