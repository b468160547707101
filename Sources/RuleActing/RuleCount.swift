/// What a rule has done since it was put in force.
public struct RuleCount: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// How many exchanges it has hit.
    public let hitCount: Int
    /// How many of these it changed, delayed, answered or ended.
    public let changedCount: Int
    /// In how many exchanges it could not do what it says.
    public let failedCount: Int
    /// When it hit last, in nanoseconds since 1970; nil for never.
    public let lastHitNs: Int64?
    /// What the captures of its mocks have done; empty where it has none.
    public let mocks: [MockReport]
}
