/// A network as slow as a rule makes it, and who shares it.
public struct RuleThrottle: Sendable, Hashable {
    /// What it is like.
    public let profile: ThrottleProfile
    /// Who shares its lines.
    public let scope: ThrottleScope
    /// The preset's name, or `custom`.
    public let name: String
}
