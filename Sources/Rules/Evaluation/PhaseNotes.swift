public import ProxydHTTPModel

/// What the rules of one phase came to, beside the message itself.
public struct PhaseNotes: Sendable {
    /// What each rule that matched did, in order.
    public internal(set) var applied: [AppliedRule] = []
    /// What the record is marked with.
    public internal(set) var tags: [String] = []
    /// How long the message waits: the delays add up.
    public internal(set) var delays: [RuleDelay] = []
    /// Whether a value was put in that is left out of store and log.
    public internal(set) var hasSecret = false

    mutating func note(_ rule: Rule, _ phase: RulePhase, _ outcomes: [RuleOutcome]) {
        let (word, detail) = RuleOutcome.summary(of: outcomes)
        applied.append(AppliedRule(rule: rule.name, phase: phase, outcome: word, detail: detail))
    }

    /// Does what is the same in all phases; nil where it is another kind of action.
    mutating func apply(_ verb: RuleVerb) -> RuleOutcome? {
        switch verb {
        case .delay(let delay):
            delays.append(delay)
            return .delayed("\(delay.milliseconds) ms")
        case .tag(let text):
            tags.append(text)
            return .tagged
        default: return nil
        }
    }
}
