/// One rule, and what it has done.
public struct RuleFacts: Sendable, Hashable {
    /// What a daemon has counted since the rule was put in force.
    public struct Usage: Sendable, Hashable {
        /// Exchanges that it has hit.
        public var hitCount: Int
        /// Of these, those that it changed, delayed, answered or ended.
        public var changedCount: Int
        /// Exchanges in which it could not do what it says.
        public var failedCount: Int
        /// When it hit last, nanoseconds since 1970; nil for never.
        public var lastHitNs: Int64?

        /// Counts.
        public init(hitCount: Int, changedCount: Int, failedCount: Int, lastHitNs: Int64?) {
            self.hitCount = hitCount
            self.changedCount = changedCount
            self.failedCount = failedCount
            self.lastHitNs = lastHitNs
        }
    }

    /// What it is called.
    public var name: String
    /// Which exchanges it is for; empty for all.
    public var filter: String
    /// Whether it is looked at: it is switched on, and so is its group.
    public var isEnabled: Bool
    /// The group it is switched with; nil for none.
    public var group: String?
    /// Whether it is not as the file has it.
    public var isTemporary: Bool
    /// What it has done; nil where no daemon runs.
    public var usage: Usage?

    /// A rule that is in the file and switched on.
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
