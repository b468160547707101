internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// The record of an exchange that passes through the proxy; confined to its loop. At the loop's
/// recording tick, it delivers what is new.
///
/// The record ends with `end`, and in no other way.
final class ExchangeTap: ExchangeRecord, IndexedElement {
    private let registry: TapRegistry
    /// Knows when the last byte for the client has left; nil if the record does not wait for it.
    var departure: (any DepartureWatch)?
    /// The tap's index in the loop's list of open taps.
    // Exclusive: a number.
    @exclusivity(unchecked) var index = -1
    /// Whether it was open at an earlier tick; maintained by `TapRegistry`.
    var hasSeenTick = false
    /// Whether the request sent to the server must not be recorded.
    var hidesSentRequest = false

    init(
        sink: any ExchangeSink, registry: TapRegistry, clientConnection: ConnectionID?,
        timeline: Timeline, keptByteCountMax: Int
    ) {
        self.registry = registry
        super.init(
            sink: sink, clientConnection: clientConnection, timeline: timeline,
            keptByteCountMax: keptByteCountMax)
        registry.add(self)
    }

    /// Records how the head sent to the server differs from the one that arrived.
    func noteForwarding(_ notes: ForwardingNotes, head: [UInt8]) {
        noteForwarding(notes, sentHead: hidesSentRequest ? nil : head)
    }

    /// Ends the record, once everything for the client has left.
    func end(_ state: ExchangeState, failure: ExchangeFailure? = nil, at now: Int64) {
        guard let departure else { return deliverLast(state, failure, at: now) }
        self.departure = nil
        departure.awaitDeparture(of: self, RecordEnding(state: state, failure: failure, at: now))
    }

    /// Everything for the client has left: a complete response counts as delivered.
    func departed(_ ending: RecordEnding) {
        deliverLast(ending.state, ending.failure, at: ending.at)
    }

    private func deliverLast(_ state: ExchangeState, _ failure: ExchangeFailure?, at now: Int64) {
        registry.remove(self)
        finish(state, failure, isDelivered: state == .complete, at: now)
    }
}

/// Knows when the bytes for a client have left.
protocol DepartureWatch: AnyObject {
    /// Calls `departed` of a tap once everything that the client gets of its exchange has left,
    /// immediately or later, with another ending if some of it never will.
    func awaitDeparture(of tap: ExchangeTap, _ ending: RecordEnding)
}

/// How the record of an exchange ends.
struct RecordEnding {
    var state: ExchangeState
    var failure: ExchangeFailure?
    /// On the monotonic clock.
    var at: Int64
}

/// The open exchanges of one loop. While there are any, a tick delivers what is new, so that a long
/// exchange shows up in the store while it runs. The first tick skips an exchange: most have ended
/// by the next one, and are then written only once.
final class TapRegistry {
    private let ticker: Ticker

    /// - Parameter loop: Whose timer ticks; nil for no ticks.
    init(loop: EventLoop?) { ticker = Ticker(loop: loop) }

    func add(_ tap: ExchangeTap) {
        ticker.taps.add(tap)
        if ticker.timer == nil { ticker.arm() }
    }

    func remove(_ tap: ExchangeTap) { ticker.taps.remove(tap) }

    func tick() { ticker.tick() }
}

/// What the timer of a registry refers to. It is an object of its own because objects with weak
/// references are slow to retain, and each tap retains its registry.
private final class Ticker {
    /// How old data may become before it is delivered; twice that for the first data of an
    /// exchange. Together with the recorder's own batching, this keeps the promise of 200 ms.
    private static let tickNs: Int64 = 50_000_000

    private let loop: EventLoop?
    // Exclusive: who removes a tap has a reference to it, so nothing is released meanwhile.
    @exclusivity(unchecked) var taps = IndexedSet<ExchangeTap>()
    private(set) var timer: Timer?

    init(loop: EventLoop?) { self.loop = loop }

    func arm() { timer = loop?.schedule(afterNs: Ticker.tickNs) { [weak self] in self?.tick() } }

    func tick() {
        timer = nil
        for tap in taps.all {
            if tap.hasSeenTick { tap.flush() }
            tap.hasSeenTick = true
        }
        if !taps.isEmpty { arm() }
    }
}
