internal import Synchronization

/// Counts down from several threads and calls a closure once, at zero.
final class SharedCounter: Sendable {
    private let remaining: Atomic<Int>
    private let onZero: @Sendable () -> Void

    init(_ count: Int, onZero: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.onZero = onZero
    }

    func decrement() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { onZero() }
    }
}
