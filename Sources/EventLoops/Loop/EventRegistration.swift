internal import ProxydCLibevent
internal import Glibc

/// Owns one libevent event and frees it. Confined to its loop; must not outlive its target.
struct EventRegistration: ~Copyable {
    private let event: OpaquePointer

    /// Creates an event that is not pending yet. `descriptor` is −1 for a pure timer and the signal
    /// number for a signal.
    init(target: EventTarget, descriptor: Int32, interest: Readiness) {
        let made = event_new(
            target.loop.base, descriptor, interest.rawValue, eventCallback, eventArgument(target))
        guard let made else { preconditionFailure("out of memory for an event") }
        event = made
    }

    /// Makes the event pending. A persistent event's timeout restarts whenever it fires. Returns
    /// false if the kernel refuses to watch the descriptor.
    @discardableResult
    borrowing func add(timeoutNs: Int64? = nil) -> Bool {
        guard let timeoutNs else { return event_add(event, nil) == 0 }
        // Rounded up: a timer of a few nanoseconds must not become one of zero, which would spin.
        let microseconds = (max(0, timeoutNs) &+ 999) / 1_000
        var interval = timeval(
            tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
        return event_add(event, &interval) == 0
    }

    /// Makes the event not pending, and drops an activation that was not delivered yet.
    borrowing func remove() { event_del(event) }

    deinit { event_free(event) }
}
