/// Identifies a line of a rule; there is one in each direction.
public enum ThrottleLineName: Sendable, Hashable {
    /// The only line of the rule.
    case rule
    /// The line to a host.
    case host(String)
    /// The line of a client.
    case client(String)
    /// The line of a connection.
    case connection(Int64)
}
