import ProxydPresentation
import Testing

@Suite struct QuantityTests {
    @Test(arguments: [
        (0, "0 B"), (-5, "0 B"), (999, "999 B"), (1_000, "1 kB"), (1_234, "1.23 kB"),
        (12_345, "12.3 kB"), (999_499, "999 kB"), (999_500, "1 MB"), (16_777_216, "16.8 MB"),
        (Int64.max, "9.22 EB"),
    ])
    func `byte counts are shown in the unit that fits`(count: Int64, text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(arguments: [
        (-1, "0 µs"), (350_000, "350 µs"), (999_499, "999 µs"), (1_000_000, "1 ms"),
        (12_340_000, "12.3 ms"), (1_240_000_000, "1.24 s"), (59_900_000_000, "59.9 s"),
        (59_960_000_000, "1 m 0 s"), (60_000_000_000, "1 m 0 s"),
        (123_000_000_000, "2 m 3 s"), (3_840_000_000_000, "1 h 4 m"),
    ])
    func `durations are shown in the unit that fits`(nanoseconds: Int64, text: String) {
        #expect(Quantity.duration(nanoseconds) == text)
    }

    @Test func `the noun after a count is singular only for 1`() {
        #expect(Quantity.count(1, "exchange") == "1 exchange")
        #expect(Quantity.count(0, "exchange") == "0 exchanges")
        #expect(Quantity.count(1_234, "exchange") == "1234 exchanges")
        #expect(Quantity.count(1_234, "exchange", isGrouped: true) == "1,234 exchanges")
    }
}

struct WallTimeTests {
    private let time: Int64 = 1_763_632_800_123_456_789

    @Test func `a timestamp is formatted as time, time with milliseconds, date, or date and time`()
    {
        let clock = WallTime()
        #expect(clock.time(time) == "10:00:00")
        #expect(clock.precise(time) == "10:00:00.123")
        #expect(clock.date(time) == "2025-11-20")
        #expect(clock.full(time) == "2025-11-20 10:00:00")
        #expect(clock.precise(-1) == "23:59:59.999")
    }

    @Test func `times at least 12 hours from now are shown with their date`() {
        let clock = WallTime()
        let hour: Int64 = 3_600_000_000_000
        #expect(clock.short(time, now: time + 11 * hour) == "10:00:00")
        #expect(clock.short(time, now: time + 12 * hour) == "11-20 10:00")
        #expect(clock.short(.min, now: .max).count == 11)
    }

    @Test func `the smallest and largest timestamps in nanoseconds are formatted correctly`() {
        for zone in [WallTime.Zone.utc, .local] {
            #expect(WallTime(zone).full(.max).contains("2262"))
            #expect(WallTime(zone).full(.min).contains("1677"))
        }
    }
}
