internal import ProxydCLibevent
internal import Glibc

/// Accepts connections from a listening socket on one loop.
///
/// When descriptors run out, it stops watching the socket (which stays ready, so watching would
/// spin), calls `onPause`, and tries again a little later. Loop-confined.
public final class Listener: EventTarget {
    enum Accepted {
        case connection(descriptor: Int32, peer: SocketAddress)
        case nothing
        case failed(errorNumber: Int32)
    }

    public let socket: ListeningSocket
    /// Called when accepting pauses for lack of descriptors or memory: an opportunity to close idle
    /// connections and then call `resume()`.
    public var onPause: ((StreamError) -> Void)?
    public private(set) var isPaused = false

    private var onAccept: ((SocketStream) -> Void)?
    private let accept: (Int32) -> Accepted
    private let retryNs: Int64
    private var registration: EventRegistration?
    private var retry: Timer?
    private var keptAlive: Listener?

    /// The number of connections accepted in one dispatch, so that several loops share a burst.
    private static let batchCountMax = 16

    /// Creates a listener that calls `onAccept` for each connection once started. On the loop only.
    public convenience init(
        socket: ListeningSocket, on loop: EventLoop, onAccept: @escaping (SocketStream) -> Void
    ) {
        self.init(
            socket: socket, on: loop, retryNs: 100_000_000, accept: Listener.accept(from:),
            onAccept: onAccept)
    }

    init(
        socket: ListeningSocket, on loop: EventLoop, retryNs: Int64,
        accept: @escaping (Int32) -> Accepted, onAccept: @escaping (SocketStream) -> Void
    ) {
        loop.preconditionOnLoop()
        self.socket = socket
        self.onAccept = onAccept
        self.accept = accept
        self.retryNs = retryNs
        super.init(loop: loop)
        registration = EventRegistration(
            target: self, descriptor: socket.descriptor, interest: [.read, .persist])
    }

    /// Starts accepting; the listener is retained until `stop()`.
    public func start() {
        loop.preconditionOnLoop()
        guard onAccept != nil else { return }
        keptAlive = self
        registration?.add()
    }

    public func resume() {
        loop.preconditionOnLoop()
        guard isPaused else { return }
        isPaused = false
        retry?.suspend()
        registration?.add()
    }

    /// Stops accepting for good. The socket is closed once no other listener uses it.
    public func stop() {
        loop.preconditionOnLoop()
        registration = nil
        retry?.cancel()
        retry = nil
        onAccept = nil
        onPause = nil
        keptAlive = nil
    }

    override func loopDidStop() { stop() }

    override func eventDidFire(_ readiness: Readiness) {
        for _ in 0..<Listener.batchCountMax {
            guard let onAccept, !isPaused else { return }
            switch accept(socket.descriptor) {
            case .connection(let descriptor, let peer):
                onAccept(
                    SocketStream(
                        loop: loop, descriptor: descriptor, peerAddress: peer, origin: .accepted))
            case .nothing: return
            case .failed(let number): return pause(StreamError(errorNumber: number))
            }
        }
    }

    private func pause(_ error: StreamError) {
        isPaused = true
        registration?.remove()
        let timer = retry ?? loop.makeTimer { [weak self] in self?.resume() }
        retry = timer
        timer.restart(afterNs: retryNs)
        onPause?(error)
    }

    private static func accept(from descriptor: Int32) -> Accepted {
        while true {
            let (accepted, peer) = SocketAddress.fromKernel { clibevent_accept(descriptor, $0, $1) }
            if accepted >= 0 { return .connection(descriptor: accepted, peer: peer ?? .unix) }
            switch errno {
            case EAGAIN: return .nothing
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .failed(errorNumber: errno)
            // The connection was closed before it was accepted, or accept(2) reports a network
            // error: the next connection may be fine.
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, EHOSTDOWN, ENETUNREACH, EHOSTUNREACH:
                continue
            case let number: return .failed(errorNumber: number)
            }
        }
    }
}

/// A socket that accepts connections. It owns its descriptor, and closes it when the last listener
/// is released. Several loops may use it at the same time.
public final class ListeningSocket: Sendable {
    /// The address it listens at, with the actual port; `SocketAddress.unix` for a Unix socket.
    public let localAddress: SocketAddress
    let descriptor: Int32

    /// The number of connections that the kernel queues until they are accepted.
    public static let backlogCountMax: Int32 = 1_024

    /// Listens at an address; with port 0, the system chooses one.
    /// - Parameter isTransparent: whether the socket also accepts connections to foreign addresses
    ///   that netfilter's TPROXY delivers, which requires the capability CAP_NET_ADMIN.
    public init(address: SocketAddress, isTransparent: Bool = false) throws(StreamError) {
        let descriptor = SocketCalls.makeSocket(family: address.kernelFamily)
        guard descriptor >= 0 else { throw StreamError(errorNumber: errno) }
        SocketCalls.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == .ipv6 {
            SocketCalls.setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        if isTransparent {
            let number = ListeningSocket.makeTransparent(descriptor, address.family)
            guard number == 0 else {
                Glibc.close(descriptor)
                throw StreamError(errorNumber: number)
            }
        }
        let result = address.withKernelForm { Glibc.bind(descriptor, $0, $1) }
        try ListeningSocket.listen(descriptor, bindResult: result)
        SocketCalls.setConnectionDefaults(descriptor)
        self.descriptor = descriptor
        localAddress = ListeningSocket.address(of: descriptor)
    }

    /// Listens at a file system path, which must not exist. The file gets the mode; it is not
    /// removed at the end. The caller must ensure that no one else can enter the directory.
    public init(unixPath: String, mode: UInt32 = 0o600) throws(StreamError) {
        let descriptor = SocketCalls.makeSocket(family: AF_UNIX)
        guard descriptor >= 0 else { throw StreamError(errorNumber: errno) }
        let result = ListeningSocket.bindUnix(descriptor, path: unixPath)
        if result == 0, chmod(unixPath, mode) != 0 {
            let number = errno
            Glibc.close(descriptor)
            throw StreamError(errorNumber: number)
        }
        try ListeningSocket.listen(descriptor, bindResult: result)
        self.descriptor = descriptor
        localAddress = .unix
    }

    /// Takes over a listening socket that was passed to the process (systemd socket activation).
    /// Throws if the descriptor is not a listening stream socket.
    public init(adopting descriptor: Int32) throws(StreamError) {
        let isListening = SocketCalls.option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) == 1
        let type = SocketCalls.option(descriptor, SOL_SOCKET, SO_TYPE)
        guard isListening, type == Int32(SOCK_STREAM.rawValue) else {
            throw StreamError(
                kind: .other, message: "descriptor \(descriptor) is not a listening stream socket")
        }
        SocketCalls.setNonBlocking(descriptor)
        self.descriptor = descriptor
        localAddress = ListeningSocket.address(of: descriptor)
        if localAddress.family != .unix { SocketCalls.setConnectionDefaults(descriptor) }
    }

    deinit { Glibc.close(descriptor) }

    /// Lets a socket accept connections to foreign addresses; returns an error number, 0 for none.
    private static func makeTransparent(
        _ descriptor: Int32, _ family: SocketAddress.Family
    ) -> Int32 {
        // IP_TRANSPARENT and IPV6_TRANSPARENT of the kernel's headers.
        let (level, name): (Int32, Int32) =
            family == .ipv6 ? (Int32(IPPROTO_IPV6), 75) : (Int32(IPPROTO_IP), 19)
        var one: Int32 = 1
        let result = setsockopt(descriptor, level, name, &one, socklen_t(MemoryLayout<Int32>.size))
        return result == 0 ? 0 : errno
    }

    private static func address(of descriptor: Int32) -> SocketAddress {
        SocketAddress.fromKernel { getsockname(descriptor, $0, $1) }.address ?? .unix
    }

    private static func listen(_ descriptor: Int32, bindResult: Int32) throws(StreamError) {
        if bindResult == 0, Glibc.listen(descriptor, backlogCountMax) == 0 { return }
        let number = errno
        Glibc.close(descriptor)
        throw StreamError(errorNumber: number)
    }

    private static func bindUnix(_ descriptor: Int32, path: String) -> Int32 {
        let result = UnixAddress.withKernelForm(path: path) { Glibc.bind(descriptor, $0, $1) }
        if result == nil { errno = ENAMETOOLONG }
        return result ?? -1
    }
}
