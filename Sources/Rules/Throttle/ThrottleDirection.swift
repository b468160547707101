/// The direction of bytes on a throttled network.
public enum ThrottleDirection: Sendable, Hashable, CaseIterable {
    /// To the client.
    case down
    /// To the server.
    case up
}
