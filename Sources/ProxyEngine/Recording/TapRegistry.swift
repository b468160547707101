internal import ProxydEventLoops

/// The open exchanges of one loop. While there are any, a tick delivers what is new, so that a long
/// exchange shows up in the store while it runs. The first tick skips an exchange: most have ended
/// by the next one, and are then written only once.
final class TapRegistry {
    /// How old data may become before it is delivered; twice that for the first data of an
    /// exchange. Together with the recorder's own batching, this keeps the promise of 200 ms.
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

    /// Delivers what is new; called by the loop's timer.
    func tick() {
        timer = nil
        for tap in taps.all {
            if tap.hasSeenTick { tap.flush() }
            tap.hasSeenTick = true
        }
        if !taps.isEmpty { arm() }
    }
}
