internal import ProxydEventLoops

/// The open exchanges of one loop. While there are any, a tick hands over what is new, so that a
/// long exchange shows in the store while it runs. An exchange is left alone by the first tick it
/// sees: most are over by the next, and are then written once.
final class TapRegistry {
    /// How old news may become before it is handed over, twice that for an exchange's first: with
    /// the recorder's own batching this keeps the promise of 200 ms.
    private static let tickNs: Int64 = 50_000_000

    private let loop: EventLoop
    private var taps = IndexedSet<ExchangeTap>()
    private var timer: Timer?

    init(loop: EventLoop) { self.loop = loop }

    func add(_ tap: ExchangeTap) {
        taps.add(tap)
        if timer == nil { arm() }
    }

    func remove(_ tap: ExchangeTap) { taps.remove(tap) }

    private func arm() {
        timer = loop.schedule(afterNs: TapRegistry.tickNs) { [weak self] in self?.tick() }
    }

    /// Hands over what is new; the loop's timer calls it.
    func tick() {
        timer = nil
        for tap in taps.all {
            if tap.hasSeenTick { tap.flush() }
            tap.hasSeenTick = true
        }
        if !taps.isEmpty { arm() }
    }
}
