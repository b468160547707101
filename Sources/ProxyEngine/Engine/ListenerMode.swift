internal import ProxydHTTPModel

/// What clients find at a listener.
public enum ListenerMode: Sendable {
    /// A proxy: requests name their servers, and CONNECT asks for tunnels.
    case proxy
    /// A SOCKS server: clients ask for connections to servers by SOCKS 4, 4a or 5.
    case socks
    /// The server that each client meant: the kernel has redirected its connection.
    case transparent
    /// One server, whose place the proxy takes.
    case reverse(ReverseService)

    /// Whether its connections are redirected ones.
    var isTransparent: Bool { if case .transparent = self { true } else { false } }

    /// The mode as it is recorded.
    var recorded: ConnectionRecord.Arrival.Mode {
        switch self {
        case .proxy: .proxy
        case .socks: .socks
        case .transparent: .transparent
        case .reverse: .reverse
        }
    }
}
