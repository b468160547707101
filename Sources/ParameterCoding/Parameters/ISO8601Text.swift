internal import ProxydCivilTime

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
