/// What a listener speaks with its clients.
package enum ListenMode: Sendable, Hashable {
    /// HTTP as clients speak it with a proxy, CONNECT among it.
    case proxy
    /// SOCKS 4, 4a and 5.
    case socks
    /// Whatever the kernel redirected to us; the server is the connection's original destination.
    case transparent
    /// HTTP as clients speak it with a server, which it is passed on to.
    case reverse(ReverseRoute)

    /// The modes by name, as `mode = …` and the short forms have them.
    enum Name: String, CaseIterable, Sendable {
        case proxy, reverse, socks, transparent
    }

    /// How it is called in the configuration.
    package var name: String {
        switch self {
        case .proxy: Name.proxy.rawValue
        case .socks: Name.socks.rawValue
        case .transparent: Name.transparent.rawValue
        case .reverse: Name.reverse.rawValue
        }
    }

    /// Whether this version can serve it.
    package var isBuilt: Bool { self == .proxy }
}
