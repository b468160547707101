public import ProxydHTTPModel

/// What a rule came to, for those who count.
public enum RuleEffect: Sendable, Hashable {
    /// It changed, delayed, answered or ended something.
    case changed
    /// It could not do what it says.
    case failed
    /// It was there and left everything as it was.
    case nothing

    private static let changing: Set<String> = [
        "blocked", "answered", "changed", "throttled", "delayed", "held", "routed",
    ]

    /// The effect of what the record says.
    public init(_ applied: AppliedRule) {
        switch applied.outcome {
        case let word where RuleEffect.changing.contains(word): self = .changed
        case RuleOutcome.unchanged.word, RuleOutcome.tagged.word: self = .nothing
        default: self = .failed
        }
    }
}
