internal import Synchronization

/// How many bytes of bodies may be held back at a time, of all exchanges together.
public final class ByteBudget: Sendable {
    private let rest: Atomic<Int>

    /// A budget of `byteCountMax` bytes.
    public init(byteCountMax: Int) { rest = Atomic(byteCountMax) }

    /// Takes bytes; false where fewer are left.
    func take(_ byteCount: Int) -> Bool {
        let left = rest.subtract(byteCount, ordering: .relaxed).newValue
        if left >= 0 { return true }
        give(byteCount)
        return false
    }

    /// Gives bytes back.
    func give(_ byteCount: Int) { rest.add(byteCount, ordering: .relaxed) }
}

/// What one body has taken of a budget; given back when it is let go.
final class ByteReservation {
    /// Bytes that are taken at once.
    private static let step = 64 << 10

    private let budget: ByteBudget
    private var byteCount = 0
    /// Whether there was no room for all of the body.
    private(set) var isShort = false

    init(_ budget: ByteBudget) { self.budget = budget }

    deinit { budget.give(byteCount) }

    /// Takes what a body of `wanted` bytes needs.
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
