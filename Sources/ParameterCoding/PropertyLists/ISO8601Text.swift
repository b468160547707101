/// `2001-02-03T04:05:06Z`: the one form of ISO 8601 that property lists and JSON coders write.
/// The calendar is Gregorian throughout; leap seconds do not exist.
enum ISO8601Text {
    private static let secondsOfDay: Int64 = 86_400
    private static let secondsFrom1970To2001: Int64 = 978_307_200

    /// The text of a point in time, fractions of a second cut off (towards the past). Nil outside
    /// the years 1 to 9999.
    static func text(_ date: ParameterDate) -> String? {
        let whole = date.secondsSince2001.rounded(.down)
        // Year 1 begins 63,113,904,000 s before 2001, and no year behind 9999 is within reach.
        guard whole >= -63_113_904_000, whole < 252_423_993_600 else { return nil }
        let seconds = Int64(whole) + secondsFrom1970To2001
        let second = floorModulo(seconds, secondsOfDay)
        let day = civil(day: (seconds - second) / secondsOfDay)
        return padded(day.year, 4) + "-" + padded(day.month, 2) + "-" + padded(day.day, 2)
            + "T" + padded(second / 3_600, 2) + ":" + padded(second / 60 % 60, 2)
            + ":" + padded(second % 60, 2) + "Z"
    }

    /// The point in time of a text; nil where it is not exactly of the form or no such day.
    static func date(_ text: ArraySlice<UInt8>) -> ParameterDate? {
        let form = Array("dddd-dd-ddTdd:dd:ddZ".utf8)
        guard text.count == form.count else { return nil }
        var numbers: [Int64] = [0]
        for (octet, expected) in zip(text, form) {
            if expected == 0x64 {
                guard Octet.isDigit(octet) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(octet) - 0x30
            } else {
                guard octet == expected else { return nil }
                numbers.append(0)
            }
        }
        // The form has seven numbers: the last one, behind the `Z`, is empty.
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        let (hour, minute, second) = (numbers[3], numbers[4], numbers[5])
        guard hour < 24, minute < 60, second < 60, year > 0, (1...12).contains(month) else {
            return nil
        }
        let days = dayNumber(year: year, month: month, day: day)
        guard civil(day: days) == (year, month, day) else { return nil }
        let seconds = days * secondsOfDay + hour * 3_600 + minute * 60 + second
        return ParameterDate(secondsSince2001: Double(seconds - secondsFrom1970To2001))
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func floorModulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    // Days are counted in eras of 400 years from 1 March of the year 0, so that the leap day is
    // the last day of its year; 719,468 days lie between that day and 1970-01-01.

    private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let dayOfEra = floorModulo(shifted, 146_097)
        let era = (shifted - dayOfEra) / 146_097
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Months from March on, 153 days in five of them.
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfMonth)
    }

    private static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let yearOfEra = floorModulo(shiftedYear, 400)
        let era = (shiftedYear - yearOfEra) / 400
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = 365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
