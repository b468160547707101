/// How far an exchange has come.
public enum ExchangeState: String, Sendable, Hashable, CaseIterable {
    /// Anything may still come, open tunnels included.
    case active
    /// Ended as HTTP says a message ends.
    case complete
    /// Ended otherwise; the exchange's `failure` says how.
    case failed
    /// A closed opaque tunnel; the body byte counts are the octets relayed each way.
    case tunnel
}
