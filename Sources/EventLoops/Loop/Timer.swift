internal import Glibc

/// A timer of a loop, on the monotonic clock. Loop-confined. A pending timer retains itself;
/// releasing the caller's last reference does not cancel it.
public final class Timer: EventTarget {
    private enum Repetition {
        case once
        case every(Int64)
    }

    private let repetition: Repetition
    private var body: (() -> Void)?
    private var registration: EventRegistration?
    private var keptAlive: Timer?

    fileprivate init(loop: EventLoop, repetition: Int64?, body: @escaping () -> Void) {
        self.repetition = repetition.map { .every($0) } ?? .once
        self.body = body
        super.init(loop: loop)
        registration = EventRegistration(target: self, descriptor: -1, interest: [])
    }

    public var isPending: Bool { keptAlive != nil }

    /// Restarts the timer: it fires once (or starts repeating) `afterNs` nanoseconds from now,
    /// whether it was pending or had fired. Does not allocate. Does nothing after `cancel()`.
    public func restart(afterNs: Int64) {
        loop.preconditionOnLoop()
        guard body != nil else { return }
        keptAlive = self
        registration?.add(timeoutNs: afterNs)
    }

    /// Stops the timer until `restart(afterNs:)`; its closure is kept.
    public func suspend() {
        loop.preconditionOnLoop()
        registration?.remove()
        keptAlive = nil
    }

    /// Stops the timer for good and releases its closure.
    public func cancel() {
        loop.preconditionOnLoop()
        registration?.remove()
        body = nil
        keptAlive = nil
    }

    override func eventDidFire(_ readiness: Readiness) {
        switch repetition {
        case .once: keptAlive = nil
        case .every(let intervalNs): registration?.add(timeoutNs: intervalNs)
        }
        body?()
    }

    override func loopDidStop() { cancel() }
}

extension EventLoop {
    /// Runs `body` once, `afterNs` nanoseconds from now, with the precision of the kernel's coarse
    /// clock (a few milliseconds). On the loop only.
    @discardableResult
    public func schedule(afterNs: Int64, _ body: @escaping () -> Void) -> Timer {
        let timer = Timer(loop: self, repetition: nil, body: body)
        timer.restart(afterNs: afterNs)
        return timer
    }

    /// Runs `body` every `everyNs` nanoseconds until cancelled. On the loop only.
    @discardableResult
    public func scheduleRepeating(everyNs: Int64, _ body: @escaping () -> Void) -> Timer {
        let timer = Timer(loop: self, repetition: everyNs, body: body)
        timer.restart(afterNs: everyNs)
        return timer
    }

    /// Creates a timer that is not pending yet, for timeouts that are restarted again and again
    /// with `Timer.restart(afterNs:)`. On the loop only.
    public func makeTimer(_ body: @escaping () -> Void) -> Timer {
        preconditionOnLoop()
        return Timer(loop: self, repetition: nil, body: body)
    }
}

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
