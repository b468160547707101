/// Which traffic shares a line: a limit per connection would not limit clients that open many.
public enum ThrottleScope: String, Sendable, Hashable, CaseIterable {
    /// Everything that the rule acts on.
    case rule
    /// All traffic to one host.
    case host
    /// All traffic of one client.
    case client
    /// The traffic of one connection.
    case connection

    /// Identifies the line of a connection.
    /// - Parameters:
    ///   - host: The server's name, in lower case.
    ///   - client: The client's address without its port, as text.
    ///   - connection: The number of the connection.
    public func line(host: String, client: String, connection: Int64) -> ThrottleLineName {
        switch self {
        case .rule: .rule
        case .host: .host(host)
        case .client: .client(client)
        case .connection: .connection(connection)
        }
    }
}
