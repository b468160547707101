// All functions that are called from C, and all uses of Unmanaged in this module.
//
// Ownership: libevent has plain pointers to Swift objects. The argument of an event is an
// unretained EventTarget: the target owns the event (through its EventRegistration) and frees it
// before it is deallocated, so the pointer never outlives the object.
internal import ProxydCLibevent
internal import Glibc

/// The conditions that libevent reports to a target.
struct Readiness: OptionSet {
    let rawValue: Int16
    static let timeout = Readiness(rawValue: Int16(EV_TIMEOUT))
    static let read = Readiness(rawValue: Int16(EV_READ))
    static let write = Readiness(rawValue: Int16(EV_WRITE))
    static let signal = Readiness(rawValue: Int16(EV_SIGNAL))
    static let persist = Readiness(rawValue: Int16(EV_PERSIST))
    /// Edge-triggered: reports only changes, not a lasting condition again and again.
    static let edge = Readiness(rawValue: Int16(EV_ET))
}

/// An object that a loop calls when a descriptor is ready, a timer has expired or a signal arrived.
/// Confined to its loop. Streams, listeners, timers and signal sources are subclasses.
public class EventTarget {
    /// The loop it belongs to. Retained: the loop's event base must outlive every event.
    public let loop: EventLoop

    init(loop: EventLoop) { self.loop = loop }

    func eventDidFire(_ readiness: Readiness) {}

    /// The loop is ending: close descriptors and release delegates without calling them.
    func loopDidStop() {}
}

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

func eventArgument(_ target: EventTarget) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(target).toOpaque()
}

/// The callback of all our events; it distinguishes them from libevent's own events.
let eventCallback: event_callback_fn = targetCallback

/// Called by libevent when a descriptor is ready, a timer has expired or a signal arrived.
private func targetCallback(descriptor: Int32, what: Int16, argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    let target = Unmanaged<EventTarget>.fromOpaque(argument).takeUnretainedValue()
    target.eventDidFire(Readiness(rawValue: what))
}

func pendingTargets(of base: OpaquePointer) -> [EventTarget] {
    let found = FoundTargets()
    event_base_foreach_event(base, foundEventCallback, Unmanaged.passUnretained(found).toOpaque())
    return found.targets
}

private final class FoundTargets {
    var targets: [EventTarget] = []
}

/// Called by libevent for each pending event of a base, including its own internal ones, whose
/// argument is not one of our objects.
private func foundEventCallback(
    base: OpaquePointer?, event: OpaquePointer?, argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let event, let argument, let owner = event_get_callback_arg(event),
        let called = event_get_callback(event),
        unsafeBitCast(called, to: UInt.self) == unsafeBitCast(eventCallback, to: UInt.self)
    else { return 0 }
    let target = Unmanaged<EventTarget>.fromOpaque(owner).takeUnretainedValue()
    Unmanaged<FoundTargets>.fromOpaque(argument).takeUnretainedValue().targets.append(target)
    return 0
}
