internal import Synchronization

/// The client connections of all loops together: what is left for them is one number, too.
final class ClientTotal: Sendable {
    private let current = Atomic<Int>(0)

    /// Whether one more may join; it has joined then.
    func join(atMost countMax: Int) -> Bool {
        if current.add(1, ordering: .relaxed).newValue <= countMax { return true }
        leave()
        return false
    }

    /// One has left.
    func leave() { current.subtract(1, ordering: .relaxed) }
}
