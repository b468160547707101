public import ProxydHTTPModel

/// Which rule has slowed something down, and when.
public struct ThrottleSource: Sendable, Hashable {
    /// The rule's name.
    public let rule: String
    /// When it acted.
    public let phase: RulePhase

    /// A rule in a phase.
    public init(rule: String, phase: RulePhase) {
        self.rule = rule
        self.phase = phase
    }

    /// That a connection ended, as it is recorded.
    /// - Parameters:
    ///   - byteCount: How many bytes had passed in the direction.
    ///   - direction: The one in which no more do.
    public func applied(
        _ end: ThrottleEnd, afterByteCount byteCount: Int64, _ direction: ThrottleDirection
    ) -> AppliedRule {
        let receiver = direction == .down ? "client" : "server"
        return AppliedRule(
            rule: rule, phase: phase, outcome: RuleOutcome.blocked("").word,
            detail: "\(end.rawValue) after \(byteCount) bytes to the \(receiver)")
    }
}
