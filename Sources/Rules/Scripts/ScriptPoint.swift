/// Where a script is asked.
public struct ScriptPoint: Sendable {
    /// The rule that asks it.
    public let rule: String
    /// Which one, and how.
    public let call: RuleScriptCall
}
