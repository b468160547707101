internal import Glibc

public enum SystemClock {
    /// The monotonic clock (CLOCK_MONOTONIC), in nanoseconds from an arbitrary origin.
    public static func monotonicNow() -> Int64 { read(CLOCK_MONOTONIC) }

    /// The wall clock, in nanoseconds since 1970-01-01T00:00:00Z. It may jump.
    public static func wallNow() -> Int64 { read(CLOCK_REALTIME) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
