/// A timer of a loop, on the monotonic clock. Loop-confined. Pending timers are kept alive by
/// themselves; dropping the last reference of the caller does not cancel one.
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

    /// Whether it will still fire.
    public var isPending: Bool { keptAlive != nil }

    /// Starts it anew: it fires once more (or goes on repeating) `afterNs` nanoseconds from now,
    /// whether it was pending or had fired. Costs no allocation. Nothing after `cancel()`.
    public func restart(afterNs: Int64) {
        loop.preconditionOnLoop()
        guard body != nil else { return }
        keptAlive = self
        registration?.add(timeoutNs: afterNs)
    }

    /// Stops the timer until `restart(afterNs:)`, keeping what it runs.
    public func suspend() {
        loop.preconditionOnLoop()
        registration?.remove()
        keptAlive = nil
    }

    /// Stops the timer for good and drops what it would have run.
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
    /// Runs `body` once, `afterNs` nanoseconds from now, give or take the few milliseconds of the
    /// kernel's coarse clock. On the loop only.
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

    /// A timer that is not pending yet: for time limits that are started again and again with
    /// `Timer.restart(afterNs:)`. On the loop only.
    public func makeTimer(_ body: @escaping () -> Void) -> Timer {
        preconditionOnLoop()
        return Timer(loop: self, repetition: nil, body: body)
    }
}
