internal import ProxydCivilTime

/// Holds a message until a person or a program has decided about it (a breakpoint).
public struct RuleHold: Sendable, Hashable {
    /// What happens to a message that no one decides about.
    public enum Otherwise: String, Sendable, Hashable, CaseIterable {
        /// It is forwarded unchanged.
        case pass
        /// The client's connection ends without an answer.
        case drop
    }

    /// The default maximum time that a message is held, in seconds.
    static let secondsByDefault = 300
    /// The times that a rule may set, in seconds.
    static let secondsAllowed = 1...3_600

    /// The maximum time that a message is held, in seconds.
    public let seconds: Int
    /// The maximum time in nanoseconds.
    public var timeoutNs: Int64 { Nanoseconds.clamping(seconds: Int64(seconds)) }
    /// What happens after that time.
    public let otherwise: Otherwise
}
