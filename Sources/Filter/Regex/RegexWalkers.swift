internal import Synchronization

/// Lends a walker to one text at a time: what it remembers of its program serves the next text, and
/// texts that come at once do not wait for each other.
final class RegexWalkers: Sendable {
    private let fresh: RegexWalker
    private let rested = Mutex<RegexWalker?>(nil)

    init(_ fresh: RegexWalker) { self.fresh = fresh }

    func take() -> RegexWalker { rested.withLock { $0.take() } ?? fresh }

    func give(_ walker: RegexWalker) { rested.withLock { $0 = walker } }
}
