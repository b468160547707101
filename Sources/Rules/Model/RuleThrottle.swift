/// A slow network that a rule simulates, and which traffic shares it.
public struct RuleThrottle: Sendable, Hashable {
    /// The speed and reliability of the network.
    public let profile: ThrottleProfile
    /// Which traffic shares its lines.
    public let scope: ThrottleScope
    /// The preset's name, or `custom`.
    public let name: String
}
