public import ProxydRules

/// Reads and changes rules: those of a file, and of the daemon that goes by it.
public protocol Ruling: Sendable {
    /// What is known of the rules now. Throws what a person is told.
    func rules() throws -> RulesReport
    /// Makes a change, in the file or in the daemon's memory only, and puts it in force. Throws
    /// `RuleRefusal`, or what a person is told.
    func change(_ change: RuleChange, isTemporary: Bool) throws -> RulesReport
    /// Goes by the file alone again. Throws what a person is told.
    func forgetTemporaryChanges() throws -> RulesReport
    /// Has the daemon read the file again. Throws what a person is told.
    func reload() throws -> RulesReport
    /// The lines of a rule, its comment in front. Throws what a person is told.
    func lines(of rule: String) throws -> String
    /// The text of the file; empty where there is none. Throws what a person is told.
    func fileText() throws -> String
    /// Writes the file, where it is still what it was, and puts it in force. Throws `RuleRefusal`,
    /// or what a person is told.
    func write(_ text: String, over before: String) throws -> RulesReport
    /// Saves a captured response's body, and adds a rule that serves it from then on. Returns what
    /// came of it, for a person. Throws `RuleRefusal`, or what a person is told.
    func map(_ order: RuleMapOrder) throws -> String
}
