internal import Glibc

/// Delivers a signal of the process on a loop. Only one loop of a process may have signal sources.
public final class SignalSource: EventTarget {
    private var body: (() -> Void)?
    private var registration: EventRegistration?
    private var isTelling = false

    /// Calls `body` on the loop when the signal (`SIGTERM`, `SIGINT`, `SIGHUP`…) comes, until
    /// `cancel()`; once for all that came during one turn of the loop. On the loop only.
    public init(signal: Int32, on loop: EventLoop, _ body: @escaping () -> Void) {
        loop.preconditionOnLoop()
        self.body = body
        super.init(loop: loop)
        registration = EventRegistration(
            target: self, descriptor: signal, interest: [.signal, .persist])
        registration?.add()
    }

    /// Gives the signal its former meaning back.
    public func cancel() {
        loop.preconditionOnLoop()
        registration = nil
        body = nil
    }

    /// The library calls this for each signal that came, in a row: signals that come faster than
    /// they are answered would have ever more answers given, and nothing else be done.
    override func eventDidFire(_ readiness: Readiness) {
        guard !isTelling else { return }
        isTelling = true
        loop.afterDispatch { [self] in
            isTelling = false
            body?()
        }
    }

    override func loopDidStop() { cancel() }

    /// A peer that is gone must be an error of one write, not the end of the process. Every loop
    /// does this when it is made.
    public static func ignoreBrokenPipes() { ignored }
    private static let ignored: Void = { signal(SIGPIPE, SIG_IGN) }()
}
