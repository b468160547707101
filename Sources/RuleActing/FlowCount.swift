internal import Synchronization

/// Assigns numbers to flows.
final class FlowCount: Sendable {
    private let count = Atomic<Int64>(0)

    /// Returns the next number, from 1.
    func next() -> Int64 { count.add(1, ordering: .relaxed).newValue }
}
