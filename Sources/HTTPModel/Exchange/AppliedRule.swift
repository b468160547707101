/// What a rule did to an exchange, in the form that is recorded.
public struct AppliedRule: Sendable, Hashable {
    /// The phase in which a rule acts; the raw values are stored in the database.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Before a server is connected to.
        case connect
        /// When the request is processed.
        case request
        /// When the response is processed.
        case response
    }

    /// The name of the rule.
    public let rule: String
    /// The phase in which it acted.
    public let phase: Phase
    /// One or a few words: `changed`, `unchanged`, `answered`, `blocked`, `delayed`, `throttled`,
    /// `held`, `routed`, `tagged`, `failed`; or why nothing was done: `no body`, `not JSON`.
    public let outcome: String
    /// Further details; nil if there are none.
    public let detail: String?

    /// Creates a record of a rule's action.
    public init(rule: String, phase: Phase, outcome: String, detail: String? = nil) {
        self.rule = rule
        self.phase = phase
        self.outcome = outcome
        self.detail = detail
    }

    /// Returns the names of rules without repetitions, in the order of their first occurrence.
    public static func names(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// The size of its texts in bytes.
    public var byteCount: Int {
        rule.utf8.count + outcome.utf8.count + (detail?.utf8.count ?? 0)
    }
}
