/// Asks a script what to do with a message.
public struct RuleScriptCall: Sendable, Hashable {
    /// What happens to a message if the script gives no valid answer.
    public enum Otherwise: String, Sendable, Hashable, CaseIterable {
        /// It is forwarded unchanged.
        case pass
        /// The client gets 502.
        case fail
    }

    /// The name of the script.
    public let script: String
    /// Whether the script gets the body, which is then held until complete.
    public let sendsBody: Bool
    /// The timeout for an answer, in milliseconds; nil for the script's own.
    public let timeoutMilliseconds: Int?
    /// What happens to the message without an answer.
    public let otherwise: Otherwise
}
