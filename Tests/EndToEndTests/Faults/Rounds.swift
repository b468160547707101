import Dispatch
import Synchronization

/// Tries that do not disturb one another, two at a time: most of each is waiting for programs that
/// start and end.
enum Rounds {
    private static let width = 2

    private struct State {
        var next = 0
        var failure: (any Error)?

        /// The place of the next item; nil where there is none any more.
        mutating func take(_ count: Int) -> Int? {
            guard failure == nil, next < count else { return nil }
            defer { next += 1 }
            return next
        }
    }

    /// Does something with each item, on threads of their own. After an error no more are begun,
    /// and the first one is thrown.
    static func each<Item: Sendable>(
        _ items: [Item], _ body: (Item) throws -> Void
    ) throws {
        let state = Mutex(State())
        // Proof: only what the body itself shares is shared, and it says how.
        nonisolated(unsafe) let body = body
        DispatchQueue.concurrentPerform(iterations: width) { _ in
            while let place = state.withLock({ $0.take(items.count) }) {
                do {
                    try body(items[place])
                } catch {
                    state.withLock { $0.failure = $0.failure ?? error }
                }
            }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
