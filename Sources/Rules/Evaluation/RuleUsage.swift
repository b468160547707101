/// Counts how often rules have matched.
public protocol RuleUsage: AnyObject, Sendable {
    /// Counts a match of a rule, unless the rule's limit is reached.
    /// - Parameter rule: The rule's position in the set.
    /// - Returns: Whether the rule acts.
    func claim(_ rule: Int) -> Bool
}
