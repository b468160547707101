public import ProxydHTTPModel

/// The effect of a rule, for statistics.
public enum RuleEffect: Sendable, Hashable {
    /// It changed, delayed, answered or ended something.
    case changed
    /// It could not do what it says.
    case failed
    /// It matched and left everything as it was.
    case nothing

    private static let changing: Set<String> = [
        "blocked", "answered", "changed", "throttled", "delayed", "held", "routed",
    ]

    /// Derives the effect from a recorded outcome.
    public init(_ applied: AppliedRule) {
        switch applied.outcome {
        case let word where RuleEffect.changing.contains(word): self = .changed
        case RuleOutcome.unchanged.word, RuleOutcome.tagged.word: self = .nothing
        default: self = .failed
        }
    }
}
