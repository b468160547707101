/// Who shares a line: a limit for each connection alone is none for clients that open many.
public enum ThrottleScope: String, Sendable, Hashable, CaseIterable {
    /// All that the rule acts on.
    case rule
    /// What goes to one host.
    case host
    /// What one client asks for.
    case client
    /// One connection.
    case connection

    /// The line of a connection.
    /// - Parameters:
    ///   - host: The server's name, in lower case.
    ///   - client: The client's address without its port, as text.
    ///   - connection: The connection's number.
    public func line(host: String, client: String, connection: Int64) -> ThrottleLineName {
        switch self {
        case .rule: .rule
        case .host: .host(host)
        case .client: .client(client)
        case .connection: .connection(connection)
        }
    }
}
