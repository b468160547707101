internal import Synchronization

/// The number of body bytes that may be held in memory at a time, shared by all exchanges.
public final class ByteBudget: Sendable {
    private let rest: Atomic<Int>

    /// A budget of `byteCountMax` bytes.
    public init(byteCountMax: Int) { rest = Atomic(byteCountMax) }

    /// Reserves bytes; returns false and reserves nothing if fewer are left.
    func take(_ byteCount: Int) -> Bool {
        let left = rest.subtract(byteCount, ordering: .relaxed).newValue
        if left >= 0 { return true }
        give(byteCount)
        return false
    }

    /// Returns reserved bytes to the budget.
    func give(_ byteCount: Int) { rest.add(byteCount, ordering: .relaxed) }

    /// Reserves bytes until the result is released; nil if fewer are left.
    package func share(_ byteCount: Int) -> ByteShare? {
        take(byteCount) ? ByteShare(budget: self, byteCount: byteCount) : nil
    }
}

/// A part of a budget, returned when it is released.
package final class ByteShare: Sendable {
    private let budget: ByteBudget
    private let byteCount: Int

    fileprivate init(budget: ByteBudget, byteCount: Int) {
        self.budget = budget
        self.byteCount = byteCount
    }

    deinit { budget.give(byteCount) }
}

/// The part of a budget that one body has reserved; returned when the reservation is released.
final class ByteReservation {
    /// Bytes reserved in one step.
    private static let step = 64 << 10

    private let budget: ByteBudget
    private var byteCount = 0
    /// Whether the budget had no room for all of the body.
    private(set) var isShort = false

    init(_ budget: ByteBudget) { self.budget = budget }

    deinit { budget.give(byteCount) }

    /// Reserves enough for a body of `wanted` bytes, in whole steps.
    func grow(to wanted: Int) {
        while byteCount < wanted, !isShort {
            if budget.take(ByteReservation.step) {
                byteCount += ByteReservation.step
            } else {
                isShort = true
            }
        }
    }
}
