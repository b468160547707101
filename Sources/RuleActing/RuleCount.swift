/// Statistics of a rule since it was loaded.
public struct RuleCount: Sendable, Hashable {
    /// The name of the rule.
    public let name: String
    /// The number of exchanges that it has matched.
    public let hitCount: Int
    /// The number of these that it changed, delayed, answered or ended.
    public let changedCount: Int
    /// The number of exchanges in which an action failed.
    public let failedCount: Int
    /// When it last matched, in nanoseconds since 1970; nil for never.
    public let lastHitNs: Int64?
    /// Statistics of its mocks; empty if it has none.
    public let mocks: [MockReport]
}
