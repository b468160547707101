/// The current state of the rules.
public struct RulesReport: Sendable, Hashable {
    /// The absolute path of the file; it need not exist.
    public var file: String
    /// Whether a running daemon uses the file.
    public var isDaemonRunning: Bool
    /// The rules in effect, or those of the file if no daemon is running, in order.
    public var rules: [RuleFacts]
    /// Errors in the file as `FILE:LINE: message`; while there are any, the previous rules stay in
    /// effect.
    public var problems: [String]
    /// Further remarks, such as rules that were removed, or changes that do not apply.
    public var remarks: [String]

    /// Creates a report.
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
