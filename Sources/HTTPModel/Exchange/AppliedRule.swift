/// What a rule did to an exchange, for the record.
public struct AppliedRule: Sendable, Hashable {
    /// When a rule acts; stable names, stored in the database.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// When a server is to be reached.
        case connect
        /// On the request.
        case request
        /// On the response.
        case response
    }

    /// The rule's name.
    public let rule: String
    /// When it acted.
    public let phase: Phase
    /// In a word or a few: `changed`, `unchanged`, `answered`, `blocked`, `delayed`, `throttled`,
    /// `held`, `routed`, `tagged`, `failed`; or why nothing was done: `no body`, `not JSON`.
    public let outcome: String
    /// What else there is to say; nil for nothing.
    public let detail: String?

    /// What a rule did.
    public init(rule: String, phase: Phase, outcome: String, detail: String? = nil) {
        self.rule = rule
        self.phase = phase
        self.outcome = outcome
        self.detail = detail
    }

    /// Names of rules that applied, each where it stands first.
    public static func names(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// Bytes that its texts hold.
    public var byteCount: Int {
        rule.utf8.count + outcome.utf8.count + (detail?.utf8.count ?? 0)
    }
}
