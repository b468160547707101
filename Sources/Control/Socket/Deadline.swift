internal import Glibc

/// A point on the monotonic clock that a blocking call must not outlast.
struct Deadline {
    private let end: Int64

    /// So many nanoseconds from now.
    init(afterNs duration: Int64) {
        end = Deadline.now().addingReportingOverflow(max(0, duration)).partialValue
    }

    /// Milliseconds that are left, rounded up, as `poll` takes them; 0 when it has passed.
    var remainingMs: Int32 {
        let left = end &- Deadline.now()
        guard left > 0 else { return 0 }
        return Int32(clamping: (left &+ 999_999) / 1_000_000)
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
