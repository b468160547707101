/// How a connection ends on a bad network.
public enum ThrottleEnd: String, Sendable, Hashable {
    /// By chance: it is reset.
    case failure = "reset"
    /// After as many bytes as the profile lets by: it is closed.
    case cut = "closed"
}
