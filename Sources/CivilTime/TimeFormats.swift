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
        "\(CivilTime(secondsSinceEpoch: seconds)).\(milliseconds.zeroPadded(to: 3))Z"
    }

    /// Nanoseconds since 1970 of `2026-11-20T10:00:00.123+01:00` and its like: seconds may be left
    /// out, as some writers do at a full minute, and without an offset it is UTC. Nil where it is
    /// no such time, or one of before 1678 or after 2262.
    public static func nanoseconds(_ text: String) -> Int64? {
        guard let time = WrittenTime(text), time.precision != .day else { return nil }
        return Nanoseconds.of(seconds: time.seconds - (time.offset ?? 0), rest: time.nanoseconds)
    }
}

/// A time as RFC 3339 writes it: `2026-11-20T10:00:30.250+01:00`, of which the parts after the day
/// may be left out.
package struct WrittenTime {
    /// The last part that is written.
    package enum Precision: Hashable {
        case day, minute, second
        case fraction(digitCount: Int)
    }

    /// Seconds since 1970-01-01T00:00:00 in the time's own zone.
    package private(set) var seconds: Int64
    /// The fraction of a second, truncated.
    package private(set) var nanoseconds: Int64 = 0
    package private(set) var precision = Precision.day
    /// Seconds to the east of UTC; nil if none are written.
    package private(set) var offset: Int64?

    /// Nil if the whole text is not such a time. The 60th second runs over into the next minute.
    package init?(_ text: String) {
        var text = TimeText(text.utf8)
        guard let date = text.date() else { return nil }
        seconds = date.daysSinceEpoch * CivilTime.secondsPerDay
        if text.isAtEnd { return }
        guard text.skip(oneOf: "Tt "), let minute = text.hourAndMinuteInSeconds() else {
            return nil
        }
        seconds += minute
        precision = .minute
        if text.skip(oneOf: ":") {
            guard let second = text.number(2), second <= 60 else { return nil }
            seconds += second
            precision = .second
            if text.skip(oneOf: ".,") {
                guard let fraction = text.fraction() else { return nil }
                nanoseconds = fraction.nanoseconds
                precision = .fraction(digitCount: fraction.digitCount)
            }
        }
        guard text.isAtEnd || readOffset(&text), text.isAtEnd else { return nil }
    }

    /// `Z`, `+hh:mm` or `+hhmm`.
    private mutating func readOffset(_ text: inout TimeText) -> Bool {
        offset = 0
        if text.skip(oneOf: "Zz") { return true }
        let isWest = text.skip(oneOf: "-")
        guard isWest || text.skip(oneOf: "+"), let hours = text.number(2), hours < 24 else {
            return false
        }
        _ = text.skip(oneOf: ":")
        guard let minutes = text.number(2), minutes < 60 else { return false }
        offset = (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
        return true
    }
}

/// Takes the parts of a written time off a text, from the left. What is not there is nil or false
/// and takes nothing.
package struct TimeText {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    package var isAtEnd: Bool { rest.isEmpty }

    /// A number with exactly this many digits.
    package mutating func number(_ digitCount: Int) -> Int64? {
        let digits = rest.prefix(digitCount)
        guard digits.count == digitCount, digits.allSatisfy(TimeText.isDigit) else { return nil }
        rest = rest.dropFirst(digitCount)
        return digits.reduce(0) { $0 &* 10 &+ Int64($1 &- 0x30) }
    }

    /// Passes over one of some ASCII characters.
    package mutating func skip(oneOf characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    package mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// The position of a name in a list, counted from 1.
    package mutating func name(of names: [String]) -> Int? {
        for (index, name) in names.enumerated() where skip(name) { return index + 1 }
        return nil
    }

    /// A day that exists: `2001-02-03`.
    package mutating func date() -> CivilDate? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"),
            let day = number(2)
        else { return nil }
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        return date.isValid ? date : nil
    }

    /// `04:05`, at most `23:59`, in seconds.
    package mutating func hourAndMinuteInSeconds() -> Int64? {
        guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60
        else { return nil }
        return hour * 3_600 + minute * 60
    }

    /// `04:05:06`, in seconds. A leap second, if allowed, counts as the last second of its minute.
    package mutating func clockInSeconds(allowsLeapSecond: Bool = false) -> Int64? {
        guard let minute = hourAndMinuteInSeconds(), skip(":"), let second = number(2),
            second <= (allowsLeapSecond ? 60 : 59)
        else { return nil }
        return minute + min(second, 59)
    }

    /// The digits of a fraction of a second, at least one.
    package mutating func fraction() -> (nanoseconds: Int64, digitCount: Int)? {
        let digits = rest.prefix(while: TimeText.isDigit)
        rest = rest.dropFirst(digits.count)
        var (value, scale) = (Int64(0), Nanoseconds.perSecond / 10)
        for digit in digits.prefix(9) {
            value += Int64(digit &- 0x30) * scale
            scale /= 10
        }
        return digits.isEmpty ? nil : (value, digits.count)
    }

    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

/// Reads what Expires attributes have in the wild, by the algorithm of RFC 6265 §5.1.1: the first
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
            date, hour: Int64(clock.hour), minute: Int64(clock.minute), second: Int64(clock.second))
    }

    /// Digits, and after them anything that does not begin with a digit.
    private static func number(
        _ token: some Collection<UInt8>, digitCounts: ClosedRange<Int>
    ) -> Int? {
        let digits = token.prefix(while: TimeText.isDigit)
        guard digitCounts.contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) }
    }

    private static func clock(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3,
            parts.dropLast().allSatisfy({ $0.allSatisfy(TimeText.isDigit) }),
            let hour = number(parts[0], digitCounts: 1...2),
            let minute = number(parts[1], digitCounts: 1...2),
            let second = number(parts[2], digitCounts: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ token: [UInt8]) -> Int? {
        let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
        return CivilDate.monthNames.firstIndex { $0.lowercased() == name }.map { $0 + 1 }
    }
}
