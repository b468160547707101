public import ProxydHTTPModel
public import ProxydRules

/// Reads and changes rules, both in a file and in the daemon that uses it.
public protocol RuleEditing: Sendable {
    /// Returns the current rules. Throws an error message for the user.
    func rules() throws -> RulesReport
    /// Makes a change, in the file or only in the daemon's memory, and puts it into effect. Throws
    /// `RuleRefusal`, or an error message for the user.
    func change(_ change: RuleChange, isTemporary: Bool) throws -> RulesReport
    /// Discards the changes in the daemon's memory. Throws an error message for the user.
    func forgetTemporaryChanges() throws -> RulesReport
    /// Makes the daemon read the file again. Throws an error message for the user.
    func reload() throws -> RulesReport
    /// Returns the lines of a rule, preceded by its comment. Throws an error message for the user.
    func lines(of rule: String) throws -> String
    /// Returns the file's text, empty if there is no file. Throws an error message for the user.
    func fileText() throws -> String
    /// Returns the text of the rules in effect: those in the memory of a running daemon, otherwise
    /// those of the file. Throws an error message for the user.
    func activeText() throws -> String
    /// Writes the file if its text is still `before`, and puts it into effect. Throws
    /// `RuleRefusal`, or an error message for the user.
    func write(_ text: String, over before: String) throws -> RulesReport
    /// Saves a captured response body, and adds a rule that serves it from then on. Returns a
    /// notice for the user. Throws `RuleRefusal`, or an error message for the user.
    func map(_ order: RuleMapOrder) throws -> String
}

public struct RulesReport: Sendable, Hashable {
    /// The absolute path of the file; it need not exist.
    public var file: String
    /// Whether a running daemon uses the file.
    public var isDaemonRunning: Bool
    /// The rules in effect, or those of the file if no daemon is running, in order.
    public var rules: [RuleFacts]
    /// Errors in the file as `FILE:LINE: message`; with any, the previous rules stay in effect.
    public var problems: [String]
    /// Further remarks, such as rules that were removed, or changes that do not apply.
    public var remarks: [String]

    public init(
        file: String, isDaemonRunning: Bool, rules: [RuleFacts] = [], problems: [String] = [],
        remarks: [String] = []
    ) {
        self.file = file
        self.isDaemonRunning = isDaemonRunning
        self.rules = rules
        self.problems = problems
        self.remarks = remarks
    }
}

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

        public init(hitCount: Int, changedCount: Int, failedCount: Int, lastHitNs: Int64?) {
            self.hitCount = hitCount
            self.changedCount = changedCount
            self.failedCount = failedCount
            self.lastHitNs = lastHitNs
        }
    }

    public var name: String
    /// The filter for exchanges; empty for all.
    public var filter: String
    /// What it does, in the words of the file and on one line, such as `request: { hold = true }`.
    public var actions: String
    /// Whether the rule is active: both it and its group are switched on.
    public var isEnabled: Bool
    /// The group that it is switched with, or nil for none.
    public var group: String?
    /// Whether it differs from the rule in the file.
    public var isTemporary: Bool
    /// The usage of the rule, or nil if no daemon is running.
    public var usage: Usage?

    public init(
        name: String, filter: String, actions: String = "", isEnabled: Bool = true,
        group: String? = nil, isTemporary: Bool = false, usage: Usage? = nil
    ) {
        self.name = name
        self.filter = filter
        self.actions = actions
        self.isEnabled = isEnabled
        self.group = group
        self.isTemporary = isTemporary
        self.usage = usage
    }
}

/// An order to serve a response from a file from now on.
public struct RuleMapOrder: Sendable, Hashable {
    /// The exchange with the response.
    public var id: ExchangeID
    /// Where its body is saved; a name without a folder means the one that the data directory has
    /// for such files. Another relative path is resolved in the program's directory.
    public var file: String
    /// The name of the rule; if empty, it is derived from the path.
    public var rule: String
    /// Whether the rule is only in the daemon's memory.
    public var isTemporary: Bool

    public init(id: ExchangeID, file: String, rule: String, isTemporary: Bool = false) {
        self.id = id
        self.file = file
        self.rule = rule
        self.isTemporary = isTemporary
    }
}

/// Why rules were not changed. The rules are as before.
public struct RuleRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: Sendable, Hashable {
        /// The new rules would be invalid, or the change is impossible.
        case rules
        /// The file cannot be written, or was changed in the meantime.
        case file
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
