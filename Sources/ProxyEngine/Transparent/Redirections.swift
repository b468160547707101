internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import Synchronization

/// Recognizes redirected connections that lead back to the proxy: those of clients that connected
/// to a transparent listener directly, and the proxy's own, where the firewall redirects them too.
///
/// Each would make the proxy connect to itself without end.
final class Redirections: Sendable {
    /// A connection that this program has begun to open.
    private struct Opened {
        let from: SocketAddress
        let to: SocketAddress
        let at: Int64
    }

    private struct State {
        var opened: [Opened] = []
        var next = 0
    }

    /// How long a connection is remembered. The kernel redirects it immediately, and a loop accepts
    /// it as soon as it is idle; 30 s.
    private static let memoryNs: Int64 = 30_000_000_000
    /// The number of connections that are remembered; the oldest are forgotten first.
    private static let countMax = 16_384

    private let ownAddresses: OwnAddresses
    private let isWatching = Atomic<Bool>(false)
    private let state = Mutex(State())

    init(ownAddresses: OwnAddresses) { self.ownAddresses = ownAddresses }

    /// Starts to remember connections: there is a transparent listener.
    func watch() { isWatching.store(true, ordering: .relaxed) }

    /// This program has begun to open a connection.
    /// - Parameter local: its own end.
    func note(
        from local: @autoclosure () -> SocketAddress?, to remote: SocketAddress, at now: Int64
    ) {
        guard isWatching.load(ordering: .relaxed), let from = local() else { return }
        state.withLock { state in
            let opened = Opened(from: from, to: remote, at: now)
            if state.opened.count < Self.countMax {
                state.opened.append(opened)
            } else {
                state.opened[state.next] = opened
                state.next = (state.next + 1) % Self.countMax
            }
        }
    }

    /// Why a redirected connection must not be continued; nil if nothing is wrong with it.
    func objection(
        to destination: SocketAddress, from client: SocketAddress, now: Int64
    ) -> ExchangeFailure? {
        if ownAddresses.contains(destination) { return .notRedirected }
        let isOurs = state.withLock { state in
            state.opened.contains {
                $0.from == client && $0.to == destination && now &- $0.at < Self.memoryNs
            }
        }
        return isOurs ? .redirectedItself(destination) : nil
    }
}

extension ExchangeFailure {
    static let notRedirected = ExchangeFailure(
        origin: .client, kind: .loop,
        message: "the client connected to the transparent listener itself: only connections that "
            + "the firewall redirects have a server")

    static func redirectedItself(_ destination: SocketAddress) -> ExchangeFailure {
        ExchangeFailure(
            origin: .proxy, kind: .loop,
            message: "the firewall redirects the proxy's own connection to \(destination): exclude "
                + "the user that proxyd runs as, see `proxyctl transparent --print`")
    }
}
