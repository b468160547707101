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

    /// When a message was held.
    public struct Hold: Sendable, Hashable {
        /// When the hold began, in nanoseconds from the start of the exchange. An actor gives the
        /// monotonic clock instead.
        public var startNs: Int64
        /// How long it lasted, in nanoseconds.
        public var durationNs: Int64

        /// Creates the time of a hold; a negative duration is 0.
        public init(startNs: Int64, durationNs: Int64) {
            self.startNs = startNs
            self.durationNs = max(0, durationNs)
        }
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
    /// When the rule held the message; nil if it did not, or if no one noted it.
    public var hold: Hold?

    /// Creates a record of a rule's action.
    public init(
        rule: String, phase: Phase, outcome: String, detail: String? = nil, hold: Hold? = nil
    ) {
        self.rule = rule
        self.phase = phase
        self.outcome = outcome
        self.detail = detail
        self.hold = hold
    }

    /// Whether the client got a rule's answer, or none because of a rule.
    public var isAnswer: Bool {
        switch outcome {
        case "answered", "blocked": true
        case "held": ["answered", "dropped"].contains { detail?.hasSuffix($0) ?? false }
        default: false
        }
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
