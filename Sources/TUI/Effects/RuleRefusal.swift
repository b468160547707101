/// Why rules were not changed. They are what they were.
public struct RuleRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of reason it is.
    public enum Reason: Sendable, Hashable {
        /// The rules would have mistakes, or it cannot be done at all.
        case rules
        /// The file cannot be written, or was changed meanwhile.
        case file
    }

    /// The kind.
    public let reason: Reason
    /// One line for a person.
    public let description: String

    /// A refusal.
    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
