internal import ProxydSystem

/// A point on the monotonic clock that a blocking call must not outlast.
struct Deadline {
    private let end: Int64

    /// The deadline in a number of nanoseconds from now.
    init(afterNs duration: Int64) {
        end = SystemClock.monotonicNow().addingReportingOverflow(max(0, duration)).partialValue
    }

    /// Milliseconds that are left, rounded up, as `poll` takes them; 0 when it has passed.
    var remainingMs: Int32 {
        let left = end &- SystemClock.monotonicNow()
        guard left > 0 else { return 0 }
        return Int32(clamping: (left &+ 999_999) / 1_000_000)
    }
}
