// All functions that are called from C, and all uses of Unmanaged in this module.
//
// Ownership: libevent holds plain pointers to Swift objects. The argument of an event is an
// unretained EventTarget: the target owns the event (through its EventRegistration) and frees it
// before it is deallocated, so the pointer never outlives the object.

internal import ProxydCLibevent

/// Returns the argument of an event: the unretained target.
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

/// Returns the targets of all events that are pending on a base.
func pendingTargets(of base: OpaquePointer) -> [EventTarget] {
    let found = FoundTargets()
    event_base_foreach_event(
        base, foundEventCallback, Unmanaged.passUnretained(found).toOpaque())
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
