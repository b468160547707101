import ProxydPresentation
import Testing

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
