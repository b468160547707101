internal import ProxydHTTPModel

/// The owner of a server connection: it carries only requests of the same owner.
enum ConnectionOwner: Hashable {
    /// All clients: the server does not associate the connection with one of them.
    case shared
    /// One client connection: what the server knows about the connection, such as a login, belongs
    /// to that client alone.
    case client(ConnectionID)
}
