/// What clients find at a listener.
public enum ListenerMode: Sendable, Hashable {
    /// A proxy: requests name their servers, and CONNECT asks for tunnels.
    case proxy
}
