/// The progress of an exchange.
public enum ExchangeState: String, Sendable, Hashable, CaseIterable {
    /// The exchange has not ended; includes open tunnels.
    case active
    /// The exchange ended as defined by HTTP.
    case complete
    /// The exchange ended with an error; see its `failure`.
    case failed
    /// A closed tunnel that was relayed unread; the body byte counts are the bytes relayed in each
    /// direction.
    case tunnel
}
