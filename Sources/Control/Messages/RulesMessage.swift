/// The rules that a daemon goes by, and what they have done.
public struct RulesMessage: Sendable, Hashable, Codable {
    /// One rule.
    public struct Rule: Sendable, Hashable, Codable {
        /// Its name.
        public var name: String
        /// How many exchanges it has hit since it was put in force.
        public var hitCount: Int
        /// How many of these it changed, delayed, answered or ended.
        public var changedCount: Int
        /// In how many exchanges it could not do what it says.
        public var failedCount: Int
        /// When it hit last, in nanoseconds since 1970; nil for never.
        public var lastHitNs: Int64?
        /// Whether it is not as the file has it: a temporary change added, changed or moved it.
        public var isTemporary: Bool

        /// What its mocks have done; nil from a daemon that knows none.
        public var mocks: [Mock]?

        /// A rule that has done nothing yet.
        public init(name: String, isTemporary: Bool = false) {
            self.name = name
            self.isTemporary = isTemporary
            hitCount = 0
            changedCount = 0
            failedCount = 0
        }
    }

    /// What the captures of a mock have done since they were read.
    public struct Mock: Sendable, Hashable, Codable {
        /// The most captures that are named.
        public static let namedCountMax = 20
        /// Whether all captures were looked at; nil from a daemon that does not say.
        public var isRead: Bool?
        /// How many captures there are to serve.
        public var captureCount: Int
        /// How many requests got one.
        public var servedCount: Int
        /// How many requests got none.
        public var unmatchedCount: Int
        /// How many captures no request asked for.
        public var neverServedCount: Int
        /// The numbers of the first of these; nil from a daemon that does not say.
        public var neverServed: [Int64]?
        /// Why captures are not served, or are none, in words.
        public var problems: [String]

        /// The captures of a mock.
        public init(
            captureCount: Int, servedCount: Int, unmatchedCount: Int, neverServedCount: Int,
            problems: [String]
        ) {
            self.captureCount = captureCount
            self.servedCount = servedCount
            self.unmatchedCount = unmatchedCount
            self.neverServedCount = neverServedCount
            self.problems = problems
        }
    }

    /// The absolute path of the file; nil where there is no place for one.
    public var file: String?
    /// What is wrong with the file as it is now, `FILE:LINE: what`; the rules before it are in
    /// force then.
    public var problems: [String]
    /// The rules in force, in their order.
    public var rules: [Rule]
    /// What is in force as a file would say it, where it is not what the file says: there are
    /// temporary changes, or the file has mistakes; else nil.
    public var text: String?
    /// The rules of the file that a temporary change takes out.
    public var removed: [String] = []
    /// Temporary changes that do not fit the file as it is, and why.
    public var leftOut: [String] = []

    /// Rules in force.
    public init(file: String?, problems: [String], rules: [Rule]) {
        self.file = file
        self.problems = problems
        self.rules = rules
    }
}
