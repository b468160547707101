internal import Dispatch
internal import Glibc
internal import ProxydEventLoops
internal import Synchronization

/// Waits for the signals that end a server.
final class ServeSignals: Sendable {
    private let sources = Mutex<LoopBound<[SignalSource]>?>(nil)
    private let heard = DispatchSemaphore(value: 0)

    /// Returns when the signals are watched, because a caller may send one as soon as the server is
    /// announced.
    init(on loop: EventLoop) {
        let watched = DispatchSemaphore(value: 0)
        loop.execute { [self] in
            let sources = [SIGTERM, SIGINT, SIGHUP].map { number in
                SignalSource(signal: number, on: loop) { self.heard.signal() }
            }
            self.sources.withLock { $0 = LoopBound(sources, loop: loop) }
            watched.signal()
        }
        watched.wait()
    }

    /// Returns when a signal has arrived.
    func wait() { heard.wait() }
}
