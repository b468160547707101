internal import ProxydCLibevent

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

    /// An event of this target fired.
    func eventDidFire(_ readiness: Readiness) {}

    /// The loop is ending: close descriptors and release delegates without calling them.
    func loopDidStop() {}
}
