/// Reads what Expires attributes hold in the wild, by the algorithm of RFC 6265 §5.1.1: the first
/// tokens that look like a time, a day, a month and a year, in any order, with anything between.
public struct CookieDateReader {
    private var clock: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// Seconds since 1970 of an attribute's value; nil where it is no date.
    public static func secondsSinceEpoch(_ bytes: some Collection<UInt8>) -> Int64? {
        var reader = CookieDateReader()
        for token in bytes.split(whereSeparator: isDelimiter) { reader.take(Array(token)) }
        return reader.time()?.secondsSinceEpoch
    }

    /// Nanoseconds since 1970; nil also where they are too many, before 1678 or after 2262.
    public static func nanosecondsSinceEpoch(_ bytes: some Collection<UInt8>) -> Int64? {
        secondsSinceEpoch(bytes).flatMap { Nanoseconds.of(seconds: $0) }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private mutating func take(_ token: [UInt8]) {
        if clock == nil, let clock = CookieDateReader.clock(token) {
            self.clock = clock
        } else if day == nil, let day = CookieDateReader.number(token, digitCounts: 1...2) {
            self.day = day
        } else if month == nil, let month = CookieDateReader.month(token) {
            self.month = month
        } else if year == nil, let year = CookieDateReader.number(token, digitCounts: 2...4) {
            self.year = year
        }
    }

    private func time() -> CivilTime? {
        guard let clock, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1_900 }
        if (0...69).contains(year) { year += 2_000 }
        let date = CivilDate(year: Int64(year), month: month, day: day)
        guard year >= 1_601, date.isValid, clock.hour <= 23, clock.minute <= 59,
            clock.second <= 59
        else { return nil }
        return CivilTime(
            date, hour: Int64(clock.hour), minute: Int64(clock.minute),
            second: Int64(clock.second))
    }

    /// Digits, and after them anything that does not begin with a digit.
    private static func number(_ token: [UInt8], digitCounts: ClosedRange<Int>) -> Int? {
        let digits = token.prefix { $0 &- 0x30 < 10 }
        guard digitCounts.contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    }

    private static func clock(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2,
            let hour = number(Array(parts[0]), digitCounts: 1...2),
            parts[0].allSatisfy({ $0 &- 0x30 < 10 }),
            let minute = number(Array(parts[1]), digitCounts: 1...2),
            parts[1].allSatisfy({ $0 &- 0x30 < 10 }),
            let second = number(Array(parts[2]), digitCounts: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ token: [UInt8]) -> Int? {
        let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
        return CivilDate.monthNames.firstIndex { $0.lowercased() == name }.map { $0 + 1 }
    }
}
