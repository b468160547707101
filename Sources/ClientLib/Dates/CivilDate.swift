/// A day of the Gregorian calendar, also before it was introduced.
struct CivilDate: Equatable {
    var year: Int64
    /// 1…12.
    var month: Int
    /// 1…31.
    var day: Int

    static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    init(year: Int64, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that many days after 1970-01-01. The calendar repeats every 400 years, and years
    /// that begin in March have their leap day at the end.
    init(daysSinceEpoch: Int64) {
        let (era, day) = (daysSinceEpoch &+ 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        self.day = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
        month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
    }

    /// Days after 1970-01-01; for years of at most 9 digits.
    var daysSinceEpoch: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let marchMonth = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * marchMonth + 2) / 5 + Int64(day) - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// Whether the month has such a day.
    var isValid: Bool {
        (1...12).contains(month) && (1...31).contains(day)
            && CivilDate(daysSinceEpoch: daysSinceEpoch) == self
    }

    /// The moment of a time of day.
    func date(hour: Int, minute: Int, second: Int) -> HTTPDate {
        let seconds = Int64(hour) * 3_600 + Int64(minute) * 60 + Int64(second)
        return HTTPDate(secondsSinceEpoch: daysSinceEpoch * 86_400 + seconds)
    }
}

extension Int64 {
    /// Quotient rounded down, and a remainder that is not negative; `divisor` is positive.
    func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
