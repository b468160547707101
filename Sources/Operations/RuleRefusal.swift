/// Why rules were not changed. The rules are as before.
public struct RuleRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of reason.
    public enum Reason: Sendable, Hashable {
        /// The new rules would be invalid, or the change is impossible.
        case rules
        /// The file cannot be written, or was changed in the meantime.
        case file
    }

    /// The kind of reason.
    public let reason: Reason
    /// A one-line message for users.
    public let description: String

    /// Creates a refusal.
    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
