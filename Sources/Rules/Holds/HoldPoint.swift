/// Where a message is held.
public struct HoldPoint: Sendable {
    /// The rule that holds it.
    public let rule: String
    /// How long, and what then.
    public let hold: RuleHold
}
