/// A rule and its usage.
public struct RuleFacts: Sendable, Hashable {
    /// Counts by the daemon since the rule took effect.
    public struct Usage: Sendable, Hashable {
        /// The number of exchanges that the rule matched.
        public var hitCount: Int
        /// How many of these it changed, delayed, answered or ended.
        public var changedCount: Int
        /// The number of exchanges in which its action failed.
        public var failedCount: Int
        /// When the rule last matched, in nanoseconds since 1970; nil for never.
        public var lastHitNs: Int64?

        /// Creates the counts.
        public init(hitCount: Int, changedCount: Int, failedCount: Int, lastHitNs: Int64?) {
            self.hitCount = hitCount
            self.changedCount = changedCount
            self.failedCount = failedCount
            self.lastHitNs = lastHitNs
        }
    }

    /// The name of the rule.
    public var name: String
    /// The filter for exchanges; empty for all.
    public var filter: String
    /// Whether the rule is active: both it and its group are switched on.
    public var isEnabled: Bool
    /// The group that it is switched with, or nil for none.
    public var group: String?
    /// Whether it differs from the rule in the file.
    public var isTemporary: Bool
    /// The usage of the rule, or nil if no daemon is running.
    public var usage: Usage?

    /// Creates a rule, by default one that is in the file and switched on.
    public init(
        name: String, filter: String, isEnabled: Bool = true, group: String? = nil,
        isTemporary: Bool = false, usage: Usage? = nil
    ) {
        self.name = name
        self.filter = filter
        self.isEnabled = isEnabled
        self.group = group
        self.isTemporary = isTemporary
        self.usage = usage
    }
}
