/// Holds a message until a person or a program has decided about it (a breakpoint).
public struct RuleHold: Sendable, Hashable {
    /// What becomes of a message that no one decides about.
    public enum Otherwise: String, Sendable, Hashable, CaseIterable {
        /// It goes on unchanged.
        case pass
        /// The client's connection ends without an answer.
        case drop
    }

    /// How long a message is held at most, in seconds, where a rule does not say.
    static let secondsByDefault = 300
    /// What a rule may say, in seconds.
    static let secondsAllowed = 1...3_600

    /// How long a message is held at most, in seconds.
    public let seconds: Int
    /// The same in nanoseconds.
    public var timeoutNs: Int64 { Int64(seconds) * 1_000_000_000 }
    /// What becomes of it then.
    public let otherwise: Otherwise
}
