internal import ProxydHTTPModel

/// Where a message is held.
public struct HoldPoint: Sendable {
    /// The rule that holds it.
    public let rule: String
    /// How long, and what then.
    public let hold: RuleHold

    /// What is recorded of a message that it held.
    /// - Parameter end: How that ended; nil where it is not known, as in a trial.
    func applied(in phase: RulePhase, _ end: HoldEnd? = nil) -> AppliedRule {
        AppliedRule(rule: rule, phase: phase, outcome: "held", detail: end?.detail)
    }
}
