/// Where in a set of rules a `mock` stands.
public struct MockPlace: Sendable, Hashable {
    /// The rule's position in the set.
    public let rule: Int
    /// Which of the actions on requests it is, from 0.
    public let action: Int

    /// A place.
    public init(rule: Int, action: Int) {
        self.rule = rule
        self.action = action
    }
}
