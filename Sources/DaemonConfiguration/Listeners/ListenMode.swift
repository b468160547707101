/// The protocol of a listener's clients.
package enum ListenMode: Sendable, Hashable {
    /// HTTP with proxy requests, including CONNECT.
    case proxy
    /// SOCKS 4, 4a and 5.
    case socks
    /// Connections that the kernel has redirected; the server is the connection's original
    /// destination.
    case transparent
    /// HTTP with requests for a server, to which they are forwarded.
    case reverse(ReverseRoute)

    /// The names of the modes for `mode = …` and the short forms.
    enum Name: String, CaseIterable, Sendable {
        case proxy, reverse, socks, transparent
    }

    /// Whether clients can name a user: those of a reverse or transparent listener do not know
    /// that there is a proxy.
    package var hasUsers: Bool {
        switch self {
        case .proxy, .socks: true
        case .transparent, .reverse: false
        }
    }

    /// The name in the configuration.
    package var name: String {
        switch self {
        case .proxy: Name.proxy.rawValue
        case .socks: Name.socks.rawValue
        case .transparent: Name.transparent.rawValue
        case .reverse: Name.reverse.rawValue
        }
    }
}
