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
