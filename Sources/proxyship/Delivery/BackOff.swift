/// How long to wait before the next attempt: 50 ms at first, twice as long after each failure, a
/// minute at most, and between half and all of that by chance, so that a fleet does not return at
/// the same moment.
struct BackOff {
    private static let firstMs: Int64 = 50
    private static let maxMs: Int64 = 60_000

    private var nextMs = BackOff.firstMs

    /// The next delay in milliseconds.
    mutating func next() -> Int64 {
        let delay = Int64.random(in: (nextMs / 2)...nextMs)
        nextMs = min(BackOff.maxMs, nextMs * 2)
        return delay
    }

    /// Starts again after a success.
    mutating func reset() { nextMs = BackOff.firstMs }
}
