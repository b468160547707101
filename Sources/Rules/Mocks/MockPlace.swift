/// The position of a `mock` action in a set of rules.
public struct MockPlace: Sendable, Hashable {
    /// The rule's position in the set.
    public let rule: Int
    /// The index among the rule's actions on requests, from 0.
    public let action: Int

    /// Creates a position.
    public init(rule: Int, action: Int) {
        self.rule = rule
        self.action = action
    }
}
