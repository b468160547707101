internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import Glibc
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

/// A connection that the kernel has redirected to a transparent listener: the client believes that
/// it is connected to its server, and says nothing about it.
struct RedirectedConnection: Negotiation {
    let host: String
    let port: UInt16
    private let acceptedAt: Int64

    /// - Parameter acceptedAt: On the monotonic clock.
    init(to destination: SocketAddress, acceptedAt: Int64) {
        host = destination.ip
        port = destination.port
        self.acceptedAt = acceptedAt
    }

    var naming: TunnelNaming { .byClient }
    var mayBeEstablishedEarly: Bool { false }

    func openTap(on connection: ClientConnection) -> ExchangeTap {
        connection.openTunnelTap(
            host: host, port: port, firstByteAt: acceptedAt, completeAt: acceptedAt)
    }

    func establish(_ client: any DuplexStream) {}

    func recordEstablished(in tap: ExchangeTap) {}

    /// The client expects its server's protocol, whatever that is: nothing can be said in it.
    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap) {}
}

/// The addresses at which this proxy can be reached: no request may loop back to it.
///
/// The resolved address is checked just before connecting: whatever name or spelling a client used,
/// this is the address that the kernel would connect to.
final class OwnAddresses: Sendable {
    private struct State {
        var listening: Set<SocketAddress> = []
        /// Addresses of our other programs, with how many of them guard each.
        var guarded: [SocketAddress: Int] = [:]
    }

    private let state = Mutex(State())

    func insert(_ address: SocketAddress) { state.withLock { _ = $0.listening.insert(address) } }

    /// Treats an address like one of our own, until `release` has been called as often.
    func guardAddress(_ address: SocketAddress) {
        state.withLock { $0.guarded[address, default: 0] += 1 }
    }

    /// Ends the effect of one call of `guardAddress`.
    func release(_ address: SocketAddress) {
        state.withLock { state in
            guard let count = state.guarded[address] else { return }
            state.guarded[address] = count > 1 ? count - 1 : nil
        }
    }

    /// Whether connecting to an address would reach one of our listeners, or a guarded address.
    func contains(_ address: SocketAddress) -> Bool {
        state.withLock { state in
            state.listening.contains { OwnAddresses.reaches($0, address) }
                || state.guarded.keys.contains { OwnAddresses.reaches($0, address) }
        }
    }

    /// Whether connecting to an address reaches a listener on another one.
    private static func reaches(_ own: SocketAddress, _ address: SocketAddress) -> Bool {
        guard own.port == address.port else { return false }
        if own == address { return true }
        // Connecting to 0.0.0.0 or :: reaches the machine itself.
        let reachesLoopback = address.isLoopback || address.isUnspecified
        if own.isUnspecified { return reachesLoopback || LocalInterfaces.has(address) }
        return address.isUnspecified && own.isLoopback
    }
}

/// The addresses of this machine's network interfaces, read anew for each question.
enum LocalInterfaces {
    /// Whether an address, regardless of its port, belongs to an interface of this machine.
    static func has(_ address: SocketAddress) -> Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return false }
        defer { freeifaddrs(first) }
        var next = first
        while let interface = next?.pointee {
            if let own = interface.ifa_addr, text(own) == address.ip { return true }
            next = interface.ifa_next
        }
        return false
    }

    /// Returns an interface's IP address as text, or nil if it has none.
    private static func text(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let byteCount: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: byteCount = MemoryLayout<sockaddr_in>.size
        case AF_INET6: byteCount = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                address, socklen_t(byteCount), &host, socklen_t(host.count), nil, 0,
                NI_NUMERICHOST) == 0
        else { return nil }
        let bytes = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        // A link-local address is printed with its interface, `fe80::1%eth0`.
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
    }
}
