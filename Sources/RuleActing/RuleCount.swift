/// What a rule has done since it was put in force.
public struct RuleCount: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// How many exchanges it has hit.
    public let hitCount: Int
    /// When it hit last, in nanoseconds since 1970; nil for never.
    public let lastHitNs: Int64?
}
