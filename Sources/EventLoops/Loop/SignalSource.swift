internal import Glibc

/// Delivers a signal of the process on a loop. Only one loop of a process may have signal sources.
public final class SignalSource: EventTarget {
    private var body: (() -> Void)?
    private var registration: EventRegistration?

    /// Calls `body` on the loop each time the signal (`SIGTERM`, `SIGINT`, `SIGHUP`…) comes, until
    /// `cancel()`. On the loop only.
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

    override func eventDidFire(_ readiness: Readiness) { body?() }
    override func loopDidStop() { cancel() }

    /// A peer that is gone must be an error of one write, not the end of the process. Every loop
    /// does this when it is made.
    public static func ignoreBrokenPipes() { ignored }
    private static let ignored: Void = { signal(SIGPIPE, SIG_IGN) }()
}
