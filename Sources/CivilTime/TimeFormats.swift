/// Moments as RFC 3339 writes them, in UTC.
public enum RFC3339 {
    /// `2026-11-20T10:00:00.000Z` of nanoseconds since 1970; what is below a millisecond is cut.
    public static func text(nanoseconds: Int64) -> String {
        let (seconds, rest) = nanoseconds.flooredDivision(by: Nanoseconds.perSecond)
        return text(seconds: seconds, milliseconds: rest / 1_000_000)
    }

    /// `2026-11-20T10:00:00.000Z` of seconds since 1970, also before 1678 and after 2262.
    public static func text(seconds: Int64) -> String { text(seconds: seconds, milliseconds: 0) }

    private static func text(seconds: Int64, milliseconds: Int64) -> String {
        let time = CivilTime(secondsSinceEpoch: seconds)
        return "\(time.date)T\(time.clock).\(milliseconds.zeroPadded(to: 3))Z"
    }

    /// Parses `2026-11-20T10:00:00.123+01:00` and the like as nanoseconds since 1970. Seconds may
    /// be left out, as some writers do at a full minute; without an offset it is UTC. Nil if it is
    /// not such a time, or is before 1678 or after 2262.
    public static func nanoseconds(_ text: String) -> Int64? {
        var reader = RFC3339Reader(bytes: Array(text.utf8))
        return reader.nanoseconds()
    }
}

/// Reads a time from the start of a text.
struct RFC3339Reader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Parses the whole text as nanoseconds since 1970; nil if it is not a time or does not fit.
    mutating func nanoseconds() -> Int64? {
        guard let date = date(), skip("Tt "), let hour = number(2), skip(":"),
            let minute = number(2), hour < 24, minute < 60
        else { return nil }
        let hasSeconds = skip(":")
        let second = hasSeconds ? number(2) : 0
        guard let second, second <= 60 else { return nil }
        let fraction = hasSeconds && skip(".,") ? fraction() : 0
        guard let fraction, let offset = offset(), isAtEnd else { return nil }
        let time = CivilTime(date, hour: hour, minute: minute, second: second - offset)
        return Nanoseconds.of(seconds: time.secondsSinceEpoch, rest: fraction)
    }

    private var isAtEnd: Bool { position == bytes.count }

    private mutating func date() -> CivilDate? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"),
            let day = number(2)
        else { return nil }
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        return date.isValid ? date : nil
    }

    private mutating func number(_ count: Int) -> Int64? {
        guard position + count <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[position..<(position + count)] {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + Int64(byte &- 0x30)
        }
        position += count
        return value
    }

    /// Skips one of some characters; returns false if the next character is another.
    private mutating func skip(_ characters: String) -> Bool {
        guard position < bytes.count, characters.utf8.contains(bytes[position]) else {
            return false
        }
        position += 1
        return true
    }

    /// The digits of a fraction of a second, as nanoseconds; nil if there are none.
    private mutating func fraction() -> Int64? {
        let start = position
        var (value, scale) = (Int64(0), Nanoseconds.perSecond / 10)
        while position < bytes.count, bytes[position] &- 0x30 < 10 {
            value += Int64(bytes[position] &- 0x30) * scale
            scale /= 10
            position += 1
        }
        return position > start ? value : nil
    }

    /// `Z`, `+hh:mm` or `+hhmm` as seconds to the east; nothing means UTC.
    private mutating func offset() -> Int64? {
        if isAtEnd || skip("Zz") { return 0 }
        let isWest = position < bytes.count && bytes[position] == UInt8(ascii: "-")
        guard skip("+-"), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
    }
}

/// Reads what Expires attributes hold in the wild, by the algorithm of RFC 6265 §5.1.1: the first
/// tokens that look like a time, a day, a month and a year, in any order, with anything between.
public struct CookieDateReader {
    private var clock: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// Seconds since 1970 of an attribute's value; nil if it is not a date.
    public static func secondsSinceEpoch(_ bytes: some Collection<UInt8>) -> Int64? {
        var reader = CookieDateReader()
        for token in bytes.split(whereSeparator: isDelimiter) { reader.take(Array(token)) }
        return reader.time()?.secondsSinceEpoch
    }

    /// Nanoseconds since 1970; nil also if they do not fit: before 1678 or after 2262.
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
