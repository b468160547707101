/// Asks a script what is to become of a message.
public struct RuleScriptCall: Sendable, Hashable {
    /// What becomes of a message that the script does not answer about, or not well.
    public enum Otherwise: String, Sendable, Hashable, CaseIterable {
        /// It goes on unchanged.
        case pass
        /// The client gets 502.
        case fail
    }

    /// The script's name.
    public let script: String
    /// Whether it is given the body, which is then waited for.
    public let sendsBody: Bool
    /// The longest time to answer, in milliseconds; nil for the script's own.
    public let timeoutMilliseconds: Int?
    /// What becomes of the message without an answer.
    public let otherwise: Otherwise
}
