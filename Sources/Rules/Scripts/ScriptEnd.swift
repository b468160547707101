/// What came of asking a script about a message.
public enum ScriptEnd: Sendable {
    /// The message goes on as it was.
    case unchanged
    /// It goes on as the script edited it; what was changed, as the record has it.
    case changed(HeldMessage.Content, detail: String)
    /// The client gets this answer.
    case answered(RuleAnswer)
    /// There was no answer, or none of use; why, as the record has it.
    case failed(String)
}
