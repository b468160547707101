public import ProxydRules

/// Reads and changes rules, both in a file and in the daemon that uses it.
public protocol Ruling: Sendable {
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
    /// Returns the text of the file, or an empty one if there is no file. Throws an error message
    /// for the user.
    func fileText() throws -> String
    /// Returns the text of the rules in effect: those in the memory of a running daemon, otherwise
    /// those of the file. Throws an error message for the user.
    func textInForce() throws -> String
    /// Writes the file if its text is still `before`, and puts it into effect. Throws
    /// `RuleRefusal`, or an error message for the user.
    func write(_ text: String, over before: String) throws -> RulesReport
    /// Saves a captured response body, and adds a rule that serves it from then on. Returns a
    /// notice for the user. Throws `RuleRefusal`, or an error message for the user.
    func map(_ order: RuleMapOrder) throws -> String
}
