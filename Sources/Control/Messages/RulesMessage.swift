/// The rules that a daemon goes by, and what they have done.
public struct RulesMessage: Sendable, Hashable, Codable {
    /// One rule.
    public struct Rule: Sendable, Hashable, Codable {
        /// Its name.
        public var name: String
        /// How many exchanges it has hit since it was put in force.
        public var hitCount: Int
        /// When it hit last, in nanoseconds since 1970; nil for never.
        public var lastHitNs: Int64?

        /// A rule.
        public init(name: String, hitCount: Int, lastHitNs: Int64?) {
            self.name = name
            self.hitCount = hitCount
            self.lastHitNs = lastHitNs
        }
    }

    /// The absolute path of the file; nil where there is no place for one.
    public var file: String?
    /// What is wrong with the file as it is now, `FILE:LINE: what`; the rules before it are in
    /// force then.
    public var problems: [String]
    /// The rules in force, in their order.
    public var rules: [Rule]

    /// Rules in force.
    public init(file: String?, problems: [String], rules: [Rule]) {
        self.file = file
        self.problems = problems
        self.rules = rules
    }
}
