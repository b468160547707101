/// A day and a time of that day, to the second. Its clock knows no leap seconds and no zone: read
/// it as UTC, or as local time where an offset was added.
public struct CivilTime: Sendable, Hashable, CustomStringConvertible {
    public var date: CivilDate
    /// Seconds since midnight, 0…86,399.
    public var secondOfDay: Int64

    public static let secondsPerDay: Int64 = 86_400

    public init(secondsSinceEpoch: Int64) {
        let (days, second) = secondsSinceEpoch.flooredDivision(by: CivilTime.secondsPerDay)
        date = CivilDate(daysSinceEpoch: days)
        secondOfDay = second
    }

    /// A time of a day. Fields beyond their range (a 60th second) run over into the next.
    public init(_ date: CivilDate, hour: Int64, minute: Int64, second: Int64) {
        let seconds = hour * 3_600 + minute * 60 + second
        self.init(secondsSinceEpoch: date.daysSinceEpoch * CivilTime.secondsPerDay + seconds)
    }

    /// Seconds after 1970-01-01T00:00:00; for years of at most 9 digits.
    public var secondsSinceEpoch: Int64 {
        date.daysSinceEpoch * CivilTime.secondsPerDay + secondOfDay
    }

    /// How HTTP writes a moment in UTC: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110
    /// §5.6.7).
    public var imfFixdate: String {
        let monthName = CivilDate.monthNames[date.month - 1]
        return "\(date.dayName), \(date.day.zeroPadded(to: 2)) \(monthName) "
            + "\(date.year.zeroPadded(to: 4)) \(clock) GMT"
    }

    /// `2001-02-03T04:05:06`.
    public var description: String { "\(date)T\(clock)" }

    /// `04:05:06`.
    public var clock: String {
        let (minutes, second) = secondOfDay.quotientAndRemainder(dividingBy: 60)
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour.zeroPadded(to: 2)):\(minute.zeroPadded(to: 2)):\(second.zeroPadded(to: 2))"
    }
}

/// A day of the Gregorian calendar, also before it was introduced.
public struct CivilDate: Sendable, Hashable, CustomStringConvertible {
    /// Years before the year 1 are 0, -1, …
    public var year: Int64
    /// 1…12.
    public var month: Int
    /// 1…31.
    public var day: Int

    /// The days of the week as HTTP abbreviates them, from Sunday (RFC 9110 §5.6.7).
    public static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    /// The months as HTTP abbreviates them, from January (RFC 9110 §5.6.7).
    public static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// A day as it is written; `isValid` tells whether there is such a day.
    public init(year: Int64, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that many days after 1970-01-01. The calendar repeats every 400 years, and years
    /// that begin in March have their leap day at the end.
    public init(daysSinceEpoch: Int64) {
        let (era, day) = (daysSinceEpoch &+ 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        self.day = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
        month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
    }

    /// Days after 1970-01-01; for years of at most 9 digits and months 1…12.
    public var daysSinceEpoch: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let marchMonth = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * marchMonth + 2) / 5 + Int64(day) - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// Whether the month has such a day; for years of at most 9 digits.
    public var isValid: Bool {
        (1...12).contains(month) && (1...31).contains(day)
            && CivilDate(daysSinceEpoch: daysSinceEpoch) == self
    }

    /// The name of the day of the week, of `dayNames`.
    public var dayName: String {
        CivilDate.dayNames[Int((daysSinceEpoch &+ 4).flooredDivision(by: 7).remainder)]
    }

    /// `2001-02-03`, as RFC 3339 writes a full-date.
    public var description: String {
        "\(year.zeroPadded(to: 4))-\(month.zeroPadded(to: 2))-\(day.zeroPadded(to: 2))"
    }
}

extension Int64 {
    /// Quotient rounded down, and a remainder that is not negative; `divisor` is above 1.
    public func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension BinaryInteger {
    public func zeroPadded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
