/// Counts how often rules have hit.
public protocol RuleUsage: AnyObject, Sendable {
    /// A rule hits an exchange: counts it, unless its limit is reached.
    /// - Parameter rule: Its position in the set.
    /// - Returns: Whether it acts.
    func claim(_ rule: Int) -> Bool
}
