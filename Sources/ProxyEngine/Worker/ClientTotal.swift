internal import Synchronization

/// The number of client connections of all loops together, because they share one limit.
final class ClientTotal: Sendable {
    private let current = Atomic<Int>(0)

    /// Counts one more connection; returns false, and counts nothing, if the limit is reached.
    func join(atMost countMax: Int) -> Bool {
        if current.add(1, ordering: .relaxed).newValue <= countMax { return true }
        leave()
        return false
    }

    /// Removes one connection from the count.
    func leave() { current.subtract(1, ordering: .relaxed) }
}
