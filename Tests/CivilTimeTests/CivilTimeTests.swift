import ProxydCivilTime
import Testing

struct CivilDateTests {
    @Test(
        arguments: [
            (-719_468, "0000-03-01"), (-1, "1969-12-31"), (0, "1970-01-01"), (11_016, "2000-02-29"),
            (11_017, "2000-03-01"), (47_540, "2100-02-28"), (47_541, "2100-03-01"),
            (2_932_896, "9999-12-31"),
        ] as [(Int64, String)])
    func `dates are converted to and from days since 1970`(days: Int64, text: String) {
        let date = CivilDate(daysSinceEpoch: days)
        #expect(date.description == text)
        #expect(date.daysSinceEpoch == days)
    }

    @Test func `every day in eight centuries follows the day before it in the calendar`() {
        var previous = CivilDate(daysSinceEpoch: -146_098)
        for days in Int64(-146_097)..<146_097 {
            let date = CivilDate(daysSinceEpoch: days)
            let isNextDay = date.month == previous.month && date.day == previous.day + 1
            let isNextMonth = date.day == 1 && date.month == previous.month % 12 + 1
            guard date.daysSinceEpoch == days, date.isValid, isNextDay || isNextMonth else {
                Issue.record("\(date) came after \(previous)")
                return
            }
            previous = date
        }
    }

    @Test(
        arguments: [
            (2026, 2, 29), (1900, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 0, 1), (2026, 1, 0),
            (2026, 1, 32),
        ] as [(Int64, Int, Int)])
    func `dates that do not exist, such as 31 April, are invalid`(year: Int64, month: Int, day: Int)
    {
        #expect(!CivilDate(year: year, month: month, day: day).isValid)
    }

    @Test func `a date has the correct weekday name`() {
        #expect(CivilDate(year: 1994, month: 11, day: 6).dayName == "Sun")
        #expect(CivilDate(year: 1969, month: 12, day: 31).dayName == "Wed")
    }

    @Test(arguments: [Int64.min, Int64.max])
    func `the smallest and largest 64-bit second counts convert to a time without overflow`(
        seconds: Int64
    ) {
        let time = CivilTime(secondsSinceEpoch: seconds)
        #expect((0..<CivilTime.secondsPerDay).contains(time.secondOfDay))
        #expect((1...12).contains(time.date.month))
    }
}

struct NanosecondsTests {
    @Test(
        arguments: [
            (0, 0), (2, 2_000_000_000), (-2, -2_000_000_000),
            (9_223_372_036, 9_223_372_036_000_000_000), (9_223_372_037, nil), (9_999_999_999, nil),
            (-9_223_372_036, -9_223_372_036_000_000_000), (-9_223_372_037, nil), (.max, nil),
            (.min, nil),
        ] as [(Int64, Int64?)])
    func `converting seconds to nanoseconds beyond 64 bits gives nil, or the limit if clamping`(
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
