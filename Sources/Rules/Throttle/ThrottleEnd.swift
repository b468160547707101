/// How a connection ends on a bad network.
public enum ThrottleEnd: String, Sendable, Hashable {
    /// A random failure: the connection is reset.
    case failure = "reset"
    /// After the number of bytes that the profile allows: the connection is closed.
    case cut = "closed"
}
