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
    package static func text(_ date: ParameterDate) -> String? {
        let whole = date.secondsSince2001.rounded(.down)
        // Year 1 starts 63,113,904,000 s before 2001; the upper bound is the end of year 9999.
        guard whole >= -63_113_904_000, whole < 252_423_993_600 else { return nil }
        let seconds = Int64(whole + ParameterDate.secondsFrom1970To2001)
        let time = CivilTime(secondsSinceEpoch: seconds)
        return "\(time.date)T\(time.clock)Z"
    }

    /// Parses a text; nil if it does not have exactly this form or is not a valid date.
    package static func date(_ text: ArraySlice<UInt8>) -> ParameterDate? {
        let form = Array("dddd-dd-ddTdd:dd:ddZ".utf8)
        guard text.count == form.count else { return nil }
        var numbers: [Int64] = [0]
        for (byte, expected) in zip(text, form) {
            if expected == 0x64 {
                guard Byte.isDigit(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte) - 0x30
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        // The form has seven numbers: the last one, after the `Z`, is empty.
        let date = CivilDate(year: numbers[0], month: Int(numbers[1]), day: Int(numbers[2]))
        let (hour, minute, second) = (numbers[3], numbers[4], numbers[5])
        guard hour < 24, minute < 60, second < 60, date.year > 0, date.isValid else { return nil }
        let time = CivilTime(date, hour: hour, minute: minute, second: second)
        return ParameterDate(secondsSince1970: Double(time.secondsSinceEpoch))
    }
}

/// A point in time as calendar and clock fields in UTC.
struct CalendarTime {
    private static let microsecondsPerSecond: Int64 = 1_000_000

    /// `2001-02-03T04:05:06Z`
    private let text: [UInt8]
    private let microsecond: Int64

    /// Rounds a point in time to the nearest microsecond; nil outside the years 1 to 9999.
    init?(_ date: ParameterDate) {
        // 10,000 years are 3.2e11 seconds: below this bound the count of microseconds fits.
        guard abs(date.secondsSince2001) < 1e12 else { return nil }
        let count = Int64((date.secondsSince2001 * 1e6).rounded())
        let remainder = count % CalendarTime.microsecondsPerSecond
        microsecond = remainder < 0 ? remainder + CalendarTime.microsecondsPerSecond : remainder
        let seconds = (count - microsecond) / CalendarTime.microsecondsPerSecond
        guard let text = ISO8601Text.text(ParameterDate(secondsSince2001: Double(seconds))) else {
            return nil
        }
        self.text = Array(text.utf8)
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
        case "y" where digitCount == 2: digits(2..<4, padded: 2)
        case "y": digits(0..<4, padded: digitCount)
        case "M": digits(5..<7, padded: digitCount)
        case "d": digits(8..<10, padded: digitCount)
        case "H": digits(11..<13, padded: digitCount)
        case "m": digits(14..<16, padded: digitCount)
        case "s": digits(17..<19, padded: digitCount)
        case "S": fraction(digitCount: digitCount)
        default: nil
        }
    }

    /// The number in a range of the text, padded to this many digits.
    private func digits(_ place: Range<Int>, padded digitCount: Int) -> String {
        let significant = text[place].drop { $0 == 0x30 }
        let shown = significant.isEmpty ? text[place].suffix(1) : significant
        let zeros = String(repeating: "0", count: max(0, digitCount - shown.count))
        return zeros + String(decoding: shown, as: UTF8.self)
    }

    private func fraction(digitCount: Int) -> String {
        let digits = String(CalendarTime.microsecondsPerSecond + microsecond).dropFirst()
        let zeros = String(repeating: "0", count: max(0, digitCount - digits.count))
        return digits.prefix(digitCount) + zeros
    }

    /// Reads a text in apostrophes; two of them are one literal apostrophe. nil if the closing one
    /// is missing.
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
