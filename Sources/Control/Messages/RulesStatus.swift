public import ProxydRules

/// A daemon's active rules, and their counters.
public struct RulesStatus: Sendable, Hashable, Codable {
    /// One rule and its counters.
    public struct Rule: Sendable, Hashable, Codable {
        public var name: String
        /// The number of exchanges it has matched since it became active.
        public var hitCount = 0
        /// The number of these that it changed, delayed, answered or ended.
        public var changedCount = 0
        /// The number of exchanges in which its actions failed.
        public var failedCount = 0
        /// When it last matched, in nanoseconds since 1970; nil for never.
        public var lastHitNs: Int64?
        /// Whether it differs from the file, because a temporary change added, changed or moved it.
        public var isTemporary: Bool

        /// The counters of its mocks; nil from a daemon that does not report them.
        public var mocks: [Mock]?

        public init(name: String, isTemporary: Bool = false) {
            self.name = name
            self.isTemporary = isTemporary
        }
    }

    /// The counters of a mock's captures since they were loaded.
    public struct Mock: Sendable, Hashable, Codable {
        /// The most captures that are listed by number.
        public static let namedCountMax = 20
        /// Whether all captures have been read; nil from a daemon that does not report it.
        public var isRead: Bool?
        /// The number of captures that can be served.
        public var captureCount: Int
        /// The number of requests answered with a capture.
        public var servedCount: Int
        /// The number of requests without a matching capture.
        public var unmatchedCount: Int
        /// The number of captures that no request has used.
        public var neverServedCount: Int
        /// The numbers of the first of these; nil from a daemon that does not report them.
        public var neverServed: [Int64]?
        /// Readable reasons why captures cannot be served or are missing.
        public var problems: [String]

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

    /// The absolute path of the rules file, or nil if no location is configured.
    public var file: String?
    /// Mistakes in the current file as `FILE:LINE: what`; with any, the former rules stay active.
    public var problems: [String]
    /// The active rules, in order.
    public var rules: [Rule]
    /// The active rules in the file's format, if they differ from the file because of temporary
    /// changes or its mistakes; nil otherwise.
    public var text: String?
    /// Rules of the file that a temporary change removes.
    public var removed: [String] = []
    /// Temporary changes that do not apply to the current file, with the reasons.
    public var leftOut: [String] = []

    public init(file: String?, problems: [String], rules: [Rule]) {
        self.file = file
        self.problems = problems
        self.rules = rules
    }
}

/// A change to the rules in the daemon's memory only, not in the file.
public enum RulesUpdate: Sendable, Hashable, Codable {
    case change(RuleChange)
    /// Reverts all changes, so that the rules are those of the file again.
    case forgetAll

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        self = members.contains("forgetAll") ? .forgetAll : .change(try RuleChange(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .change(let change): try change.encode(to: encoder)
        case .forgetAll: try ["forgetAll": [String: String]()].encode(to: encoder)
        }
    }
}
