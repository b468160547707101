internal import Glibc

/// Delivers a signal of the process on a loop. Only one loop per process may have signal sources.
public final class SignalSource: EventTarget {
    private var body: (() -> Void)?
    private var registration: EventRegistration?
    private var isTelling = false

    /// Calls `body` on the loop when the signal (`SIGTERM`, `SIGINT`, `SIGHUP`…) arrives, until
    /// `cancel()`; once for all signals that arrive during one turn of the loop. On the loop only.
    public init(signal: Int32, on loop: EventLoop, _ body: @escaping () -> Void) {
        loop.preconditionOnLoop()
        self.body = body
        super.init(loop: loop)
        registration = EventRegistration(
            target: self, descriptor: signal, interest: [.signal, .persist])
        registration?.add()
    }

    /// Restores the previous handling of the signal.
    public func cancel() {
        loop.preconditionOnLoop()
        registration = nil
        body = nil
    }

    /// libevent calls this once for each signal that arrived. If each call ran the body, signals
    /// that arrive faster than they are handled would keep the loop from doing anything else.
    override func eventDidFire(_ readiness: Readiness) {
        guard !isTelling else { return }
        isTelling = true
        loop.afterDispatch { [self] in
            isTelling = false
            body?()
        }
    }

    override func loopDidStop() { cancel() }

    /// A closed peer must cause the error of one write, not the end of the process. Every loop
    /// calls this when it is created.
    public static func ignoreBrokenPipes() { ignored }
    private static let ignored: Void = { signal(SIGPIPE, SIG_IGN) }()
}
