/// Which of the lines of a rule is meant; there is one in each direction.
public enum ThrottleLineName: Sendable, Hashable {
    /// The only one.
    case rule
    /// That to a host.
    case host(String)
    /// That of a client.
    case client(String)
    /// That of a connection.
    case connection(Int64)
}
