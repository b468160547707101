// Every function that C calls, and every use of Unmanaged in this module.
//
// Ownership: libevent holds plain pointers to Swift objects. An event's argument is an EventTarget,
// not retained: the target owns the event (through its EventRegistration) and frees it before it
// dies, so the pointer cannot outlive the object.

internal import ProxydCLibevent

/// The argument of an event: the target, not retained.
func eventArgument(_ target: EventTarget) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(target).toOpaque()
}

/// What every event of ours calls; tells them from libevent's own events.
let eventCallback: event_callback_fn = targetCallback

/// Called by libevent when a descriptor is ready, a timer is due or a signal came.
private func targetCallback(descriptor: Int32, what: Int16, argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    let target = Unmanaged<EventTarget>.fromOpaque(argument).takeUnretainedValue()
    target.eventDidFire(Readiness(rawValue: what))
}

/// The targets of all events that are pending on a base.
func pendingTargets(of base: OpaquePointer) -> [EventTarget] {
    let found = FoundTargets()
    event_base_foreach_event(
        base, foundEventCallback, Unmanaged.passUnretained(found).toOpaque())
    return found.targets
}

private final class FoundTargets {
    var targets: [EventTarget] = []
}

/// Called by libevent for each pending event of a base, its own internal ones (whose argument is
/// none of our objects) included.
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
