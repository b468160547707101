public import ProxydHTTPModel

/// The rule that slowed something down, and the phase in which it acted.
public struct ThrottleSource: Sendable, Hashable {
    /// The rule's name.
    public let rule: String
    /// The phase in which it acted.
    public let phase: RulePhase

    /// Creates a source from a rule and a phase.
    public init(rule: String, phase: RulePhase) {
        self.rule = rule
        self.phase = phase
    }

    /// The outcome to record when a connection ended.
    /// - Parameters:
    ///   - byteCount: How many bytes had passed in the direction.
    ///   - direction: The direction in which no more bytes pass.
    public func applied(
        _ end: ThrottleEnd, afterByteCount byteCount: Int64, _ direction: ThrottleDirection
    ) -> AppliedRule {
        let receiver = direction == .down ? "client" : "server"
        return AppliedRule(
            rule: rule, phase: phase, outcome: RuleOutcome.blocked("").word,
            detail: "\(end.rawValue) after \(byteCount) bytes to the \(receiver)")
    }
}
