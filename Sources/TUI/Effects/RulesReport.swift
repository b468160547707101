/// What is known of the rules.
public struct RulesReport: Sendable, Hashable {
    /// The absolute path of the file; it need not exist.
    public var file: String
    /// Whether a daemon goes by it.
    public var isDaemonRunning: Bool
    /// The rules in force, or those of the file where no daemon runs, in their order.
    public var rules: [RuleFacts]
    /// What is wrong with the file, `FILE:LINE: what`; the rules before it are in force then.
    public var problems: [String]
    /// What else there is to say: of rules that are taken out, of changes that do not fit.
    public var remarks: [String]

    /// What is known.
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
