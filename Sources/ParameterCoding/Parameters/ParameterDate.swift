internal import ProxydCivilTime

/// A point in time, as Foundation's `Date` stores it.
public struct ParameterDate: Sendable, Hashable {
    /// Seconds from 2001-01-01T00:00:00Z, the unit of `Date`, so that no precision is lost.
    public let secondsSince2001: Double

    /// Seconds between the Unix epoch and the reference date.
    static let secondsFrom1970To2001: Double = 978_307_200

    public init(secondsSince2001: Double) { self.secondsSince2001 = secondsSince2001 }

    public init(secondsSince1970: Double) {
        self.init(secondsSince2001: secondsSince1970 - ParameterDate.secondsFrom1970To2001)
    }

    public var secondsSince1970: Double {
        secondsSince2001 + ParameterDate.secondsFrom1970To2001
    }
}

/// `2001-02-03T04:05:06Z`: the only form of ISO 8601 that property lists and JSON coders write. The
/// calendar is proleptic Gregorian, without leap seconds.
package enum ISO8601Text {
    /// The text of a date, with fractions of a second truncated towards the past. nil outside the
    /// years 1 to 9999.
    package static func text(_ date: ParameterDate) -> String? { time(date).map { "\($0)Z" } }

    static func time(_ date: ParameterDate) -> CivilTime? {
        let whole = date.secondsSince2001.rounded(.down)
        // Year 1 starts 63,113,904,000 s before 2001; the upper bound is the end of year 9999.
        guard whole >= -63_113_904_000, whole < 252_423_993_600 else { return nil }
        return CivilTime(secondsSinceEpoch: Int64(whole + ParameterDate.secondsFrom1970To2001))
    }

    /// Parses a text; nil if it does not have exactly this form or is not a valid date.
    package static func date(_ bytes: ArraySlice<UInt8>) -> ParameterDate? {
        var text = TimeText(bytes)
        guard let date = text.date(), date.year > 0, text.skip("T"),
            let second = text.clockInSeconds(), text.skip("Z"), text.isAtEnd
        else { return nil }
        let seconds = date.daysSinceEpoch * CivilTime.secondsPerDay + second
        return ParameterDate(secondsSince1970: Double(seconds))
    }
}

/// A point in time as calendar and clock fields in UTC.
struct CalendarTime {
    private let time: CivilTime
    private let microsecond: Int64

    /// Rounds a point in time to the nearest microsecond; nil outside the years 1 to 9999.
    init?(_ date: ParameterDate) {
        // 10,000 years are 3.2e11 seconds: below this bound the count of microseconds fits.
        guard abs(date.secondsSince2001) < 1e12 else { return nil }
        let count = Int64((date.secondsSince2001 * 1e6).rounded())
        let (seconds, microsecond) = count.flooredDivision(by: 1_000_000)
        guard let time = ISO8601Text.time(ParameterDate(secondsSince2001: Double(seconds))) else {
            return nil
        }
        (self.time, self.microsecond) = (time, microsecond)
    }

    /// The fields in a pattern of `y M d H m s S`; nil if the pattern is invalid.
    func text(_ pattern: String) -> String? {
        var text = ""
        var rest = pattern[...]
        while let letter = rest.first {
            if letter == "'" {
                guard let quoted = CalendarTime.takeQuoted(&rest) else { return nil }
                text += quoted
                continue
            }
            let run = rest.prefix { $0 == letter }
            rest = rest[run.endIndex...]
            if letter.isASCII, letter.isLetter {
                guard let field = field(letter, digitCount: run.count) else { return nil }
                text += field
            } else {
                text += run
            }
        }
        return text
    }

    private func field(_ letter: Character, digitCount: Int) -> String? {
        switch letter {
        case "y" where digitCount == 2: (time.date.year % 100).zeroPadded(to: 2)
        case "y": time.date.year.zeroPadded(to: digitCount)
        case "M": time.date.month.zeroPadded(to: digitCount)
        case "d": time.date.day.zeroPadded(to: digitCount)
        case "H": (time.secondOfDay / 3_600).zeroPadded(to: digitCount)
        case "m": (time.secondOfDay / 60 % 60).zeroPadded(to: digitCount)
        case "s": (time.secondOfDay % 60).zeroPadded(to: digitCount)
        case "S": fraction(digitCount: digitCount)
        default: nil
        }
    }

    private func fraction(digitCount: Int) -> String {
        let digits = microsecond.zeroPadded(to: 6)
        return digits.prefix(digitCount) + String(repeating: "0", count: max(0, digitCount - 6))
    }

    /// Reads a text in apostrophes; two are one literal apostrophe. nil without a closing one.
    private static func takeQuoted(_ rest: inout Substring) -> String? {
        rest.removeFirst()
        if rest.first == "'" {
            rest.removeFirst()
            return "'"
        }
        var quoted = ""
        while let end = rest.firstIndex(of: "'") {
            quoted += rest[..<end]
            rest = rest[rest.index(after: end)...]
            guard rest.first == "'" else { return quoted }
            rest.removeFirst()
            quoted += "'"
        }
        return nil
    }
}
