internal import ProxydCLibevent
internal import Glibc

/// Accepts connections of a listening socket on one loop.
///
/// Out of descriptors, it stops watching the socket (which stays ready, so watching would spin),
/// tells `onPause`, and tries again a little later. Loop-confined.
public final class Listener: EventTarget {
    /// What one attempt to accept gave.
    enum Accepted {
        case connection(descriptor: Int32, peer: SocketAddress)
        case nothing
        case failed(errorNumber: Int32)
    }

    /// The socket it serves.
    public let socket: ListeningSocket
    /// Told when accepting pauses for lack of descriptors or memory: a chance to close idle
    /// connections and then `resume()`.
    public var onPause: ((StreamError) -> Void)?
    /// Whether accepting pauses.
    public private(set) var isPaused = false

    private var onAccept: ((SocketStream) -> Void)?
    private let accept: (Int32) -> Accepted
    private let retryNs: Int64
    private var registration: EventRegistration?
    private var retry: Timer?
    private var keptAlive: Listener?

    /// Connections taken in one dispatch, so that several loops share a burst.
    private static let batchCountMax = 16

    /// A listener that calls `onAccept` for each connection once started. On the loop only.
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

    /// Starts accepting; the listener lives until `stop()`.
    public func start() {
        loop.preconditionOnLoop()
        guard onAccept != nil else { return }
        keptAlive = self
        registration?.add()
    }

    /// Goes on after a pause, at once.
    public func resume() {
        loop.preconditionOnLoop()
        guard isPaused else { return }
        isPaused = false
        retry?.suspend()
        registration?.add()
    }

    /// Stops accepting for good. The socket is closed when no other listener serves it.
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
            let (accepted, peer) = SocketAddress.fromKernel {
                clibevent_accept(descriptor, $0, $1)
            }
            if accepted >= 0 { return .connection(descriptor: accepted, peer: peer ?? .unix) }
            switch errno {
            case EAGAIN: return .nothing
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .failed(errorNumber: errno)
            // The connection was gone before we took it, or the network had an error that
            // accept(2) hands on: the next one may be fine.
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, EHOSTDOWN, ENETUNREACH, EHOSTUNREACH:
                continue
            case let number: return .failed(errorNumber: number)
            }
        }
    }
}
