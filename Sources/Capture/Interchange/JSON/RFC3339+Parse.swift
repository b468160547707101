/// Times out of text.
extension RFC3339 {
    /// Nanoseconds since 1970 of `2026-11-20T10:00:00.123+01:00` and its like; nil where it is
    /// no such time, or one of before 1678 or after 2262.
    static func nanoseconds(_ text: String) -> Int64? {
        var reader = DigitReader(octets: Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
            reader.skip("-"), let day = reader.number(2), reader.skip("Tt "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60
        else { return nil }
        // Seconds may be left out, as some writers do at a full minute.
        let second = reader.skip(":") ? reader.number(2) : 0
        guard let second, second <= 60 else { return nil }
        let fraction = reader.skip(".,") ? reader.fraction() : 0
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        return nanoseconds(
            year: year, month: month, day: day,
            secondOfDay: hour * 3600 + minute * 60 + second - offset, nanoseconds: fraction)
    }

    /// Nanoseconds since 1970 of a proleptic Gregorian date; nil where they are too many.
    static func nanoseconds(
        year: Int64, month: Int64, day: Int64, secondOfDay: Int64, nanoseconds: Int64
    ) -> Int64? {
        // Eras of 400 years that begin in March, so that the leap day is the last of its year.
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let seconds = (era * 146_097 + dayOfEra - 719_468) * 86_400 + secondOfDay
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = whole.addingReportingOverflow(nanoseconds)
        return isTooLarge || isOver ? nil : sum
    }
}

/// Takes numbers of fixed width off the front of a text.
private struct DigitReader {
    let octets: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == octets.count }

    mutating func number(_ count: Int) -> Int64? {
        guard position + count <= octets.count else { return nil }
        var value: Int64 = 0
        for octet in octets[position..<(position + count)] {
            guard octet &- 0x30 < 10 else { return nil }
            value = value * 10 + Int64(octet &- 0x30)
        }
        position += count
        return value
    }

    /// Passes over one of some characters; false where there is none.
    mutating func skip(_ characters: String) -> Bool {
        guard position < octets.count, characters.utf8.contains(octets[position]) else {
            return false
        }
        position += 1
        return true
    }

    /// The digits of a fraction of a second, as nanoseconds.
    mutating func fraction() -> Int64 {
        var (value, scale): (Int64, Int64) = (0, 100_000_000)
        while position < octets.count, octets[position] &- 0x30 < 10 {
            value += Int64(octets[position] &- 0x30) * scale
            scale /= 10
            position += 1
        }
        return value
    }

    /// `Z`, `+hh:mm` or `+hhmm` as seconds to the east; nothing means UTC.
    mutating func offset() -> Int64? {
        if isAtEnd || skip("Zz") { return 0 }
        let isWest = position < octets.count && octets[position] == UInt8(ascii: "-")
        guard skip("+-"), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2) else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
