internal import ProxydHTTPModel

/// Whose a server connection is: only requests of the same owner go over it.
enum ConnectionOwner: Hashable {
    /// Everyone's: the server knows of it nothing that one client said.
    case shared
    /// Bound to one client connection: what the server knows of it is that client's alone, such as
    /// who has logged in.
    case client(ConnectionID)
}
