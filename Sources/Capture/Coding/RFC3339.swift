/// Times as text, without a calendar library: proleptic Gregorian, UTC, milliseconds.
public enum RFC3339 {
    /// `2026-11-20T10:00:00.000Z` of nanoseconds since 1970; what is below a millisecond is cut.
    public static func text(nanoseconds: Int64) -> String {
        let milliseconds = floorDivide(nanoseconds, 1_000_000)
        let (days, inDay) = (
            floorDivide(milliseconds, 86_400_000), modulo(milliseconds, 86_400_000)
        )
        let (year, month, day) = civil(days)
        let seconds = inDay / 1000
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(seconds / 3600, 2)):"
            + "\(pad(seconds / 60 % 60, 2)):\(pad(seconds % 60, 2)).\(pad(inDay % 1000, 3))Z"
    }

    /// The date of a day since 1970-01-01, counted in eras of 400 years that begin in March, so
    /// that the leap day is the last of its year.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = modulo(shifted, 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value / divisor - (value % divisor < 0 ? 1 : 0)
    }

    private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    private static func pad(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
