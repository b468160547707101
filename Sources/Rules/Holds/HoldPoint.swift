internal import ProxydHTTPModel

/// The rule that holds a message, and how.
public struct HoldPoint: Sendable {
    /// The rule that holds it.
    public let rule: String
    /// How long the message is held, and what happens then.
    public let hold: RuleHold

    /// The outcome to record for a message that was held.
    /// - Parameter end: How the hold ended; nil if that is unknown, as in a trial.
    func applied(in phase: RulePhase, _ end: HoldEnd? = nil) -> AppliedRule {
        AppliedRule(rule: rule, phase: phase, outcome: "held", detail: end?.detail)
    }
}
