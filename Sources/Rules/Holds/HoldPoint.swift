internal import ProxydHTTPModel

/// The rule that holds a message, and how.
public struct HoldPoint: Sendable {
    /// The rule that holds it.
    public let rule: String
    /// How long the message is held, and what happens then.
    public let hold: RuleHold

    /// The outcome to record for a message that was held.
    /// - Parameters:
    ///   - end: How the hold ended; nil if that is unknown, as in a trial.
    ///   - time: When the message was held, on the monotonic clock.
    func applied(
        in phase: RulePhase, _ end: HoldEnd? = nil, at time: AppliedRule.Hold? = nil
    ) -> AppliedRule {
        AppliedRule(
            rule: rule, phase: phase, outcome: "held", detail: end?.detail, hold: time)
    }
}
