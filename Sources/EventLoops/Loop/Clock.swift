internal import ProxydSystem

extension EventLoop {
    /// The monotonic clock (CLOCK_MONOTONIC), in nanoseconds from an arbitrary origin.
    public static func monotonicNow() -> Int64 { SystemClock.monotonicNow() }

    /// The wall clock, in nanoseconds since 1970-01-01T00:00:00Z. It may jump.
    public static func wallNow() -> Int64 { SystemClock.wallNow() }
}
