/// The result of asking a script about a message.
public enum ScriptEnd: Sendable {
    /// The message is forwarded unchanged.
    case unchanged
    /// It is forwarded as the script edited it; with a description of the changes for the record.
    case changed(HeldMessage.Content, detail: String)
    /// The client gets this answer.
    case answered(RuleAnswer)
    /// There was no valid answer; with the reason for the record.
    case failed(String)
}
