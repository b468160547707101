internal import ProxydCLibevent
internal import Glibc

/// Accepts connections from a listening socket on one loop.
///
/// When descriptors run out, it stops watching the socket (which stays ready, so watching would
/// spin), calls `onPause`, and tries again a little later. Loop-confined.
public final class Listener: EventTarget {
    /// The result of one attempt to accept.
    enum Accepted {
        case connection(descriptor: Int32, peer: SocketAddress)
        case nothing
        case failed(errorNumber: Int32)
    }

    /// The socket whose connections it accepts.
    public let socket: ListeningSocket
    /// Called when accepting pauses for lack of descriptors or memory: an opportunity to close idle
    /// connections and then call `resume()`.
    public var onPause: ((StreamError) -> Void)?
    /// Whether accepting is paused.
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

    /// Resumes immediately after a pause.
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
            let (accepted, peer) = SocketAddress.fromKernel {
                clibevent_accept(descriptor, $0, $1)
            }
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
