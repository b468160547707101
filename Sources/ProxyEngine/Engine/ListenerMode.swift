/// What the clients of a listener find there.
public enum ListenerMode: Sendable, Hashable {
    /// A proxy: requests name their servers, and CONNECT asks for tunnels.
    case proxy
}
