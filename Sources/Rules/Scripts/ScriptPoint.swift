/// The rule that runs a script, and how.
public struct ScriptPoint: Sendable {
    /// The rule that runs it.
    public let rule: String
    /// The script and its options.
    public let call: RuleScriptCall
}
