import ProxydCivilTime
import Testing

struct NanosecondsTests {
    @Test(
        arguments: [
            (0, 0), (2, 2_000_000_000), (-2, -2_000_000_000),
            (9_223_372_036, 9_223_372_036_000_000_000), (9_223_372_037, nil), (9_999_999_999, nil),
            (-9_223_372_036, -9_223_372_036_000_000_000), (-9_223_372_037, nil), (.max, nil),
            (.min, nil),
        ] as [(Int64, Int64?)])
    func `seconds are converted to nanoseconds; results over 64 bits are rejected or clamped`(
        seconds: Int64, nanoseconds: Int64?
    ) {
        #expect(Nanoseconds.of(seconds: seconds) == nanoseconds)
        let end: Int64 = seconds < 0 ? .min : .max
        #expect(Nanoseconds.clamping(seconds: seconds) == nanoseconds ?? end)
    }

    @Test func `a time in seconds and nanoseconds is accepted up to the 64-bit nanosecond limit`() {
        #expect(Nanoseconds.of(seconds: 9_223_372_036, rest: 854_775_807) == .max)
        #expect(Nanoseconds.of(seconds: 9_223_372_036, rest: 854_775_808) == nil)
    }

    @Test(
        arguments: [
            (1, 1_000_000, 1_000), (.max, .max, .max), (.min, .min, .min),
        ] as [(Int64, Int64, Int64)])
    func `milliseconds and microseconds are clamped to the range of 64-bit nanoseconds`(
        count: Int64, ofMilliseconds: Int64, ofMicroseconds: Int64
    ) {
        #expect(Nanoseconds.clamping(milliseconds: count) == ofMilliseconds)
        #expect(Nanoseconds.clamping(microseconds: count) == ofMicroseconds)
        #expect(Nanoseconds.of(microseconds: count) == (count == 1 ? 1_000 : nil))
    }
}
