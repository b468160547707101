internal import ProxydCLibevent

/// What libevent tells a target.
struct Readiness: OptionSet {
    let rawValue: Int16
    static let timeout = Readiness(rawValue: Int16(EV_TIMEOUT))
    static let read = Readiness(rawValue: Int16(EV_READ))
    static let write = Readiness(rawValue: Int16(EV_WRITE))
    static let signal = Readiness(rawValue: Int16(EV_SIGNAL))
    static let persist = Readiness(rawValue: Int16(EV_PERSIST))
    /// Tells changes alone, not again and again what lasts.
    static let edge = Readiness(rawValue: Int16(EV_ET))
}

/// Something a loop calls when a descriptor is ready, a timer is due or a signal came. Confined to
/// its loop. Streams, listeners, timers and signal sources derive from it.
public class EventTarget {
    /// The loop it belongs to. Held strongly: the loop's event base must outlive every event.
    public let loop: EventLoop

    init(loop: EventLoop) { self.loop = loop }

    /// An event of this target happened.
    func eventDidFire(_ readiness: Readiness) {}

    /// The loop ends: let go of descriptors and of whoever listens; call nobody.
    func loopDidStop() {}
}
