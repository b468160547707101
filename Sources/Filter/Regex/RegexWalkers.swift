internal import Synchronization

/// Lends out walkers, each for one text at a time. What a walker has cached for its program is
/// reused for the next text, and concurrent texts do not wait for each other.
final class RegexWalkers: Sendable {
    private let fresh: RegexWalker
    private let rested = Mutex<RegexWalker?>(nil)

    init(_ fresh: RegexWalker) { self.fresh = fresh }

    func take() -> RegexWalker { rested.withLock { $0.take() } ?? fresh }

    func give(_ walker: RegexWalker) { rested.withLock { $0 = walker } }
}
