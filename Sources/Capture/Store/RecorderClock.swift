internal import Glibc

/// The clocks that recorder and readers read.
enum RecorderClock {
    /// The monotonic clock in nanoseconds.
    static func now() -> Int64 { read(CLOCK_MONOTONIC) }
    /// The wall clock in nanoseconds since 1970.
    static func wall() -> Int64 { read(CLOCK_REALTIME) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
