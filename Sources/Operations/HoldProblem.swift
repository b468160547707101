/// Why a held message could not be opened or decided about.
public struct HoldProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem.
    public enum Kind: Sendable, Hashable {
        /// The message is not held, or not any more.
        case notHeld
        /// Another client has opened it.
        case taken
        /// What was written is not a message.
        case badEdit
    }

    /// The kind of problem.
    public let kind: Kind
    /// A message for the user.
    public let description: String

    /// Creates a problem.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
