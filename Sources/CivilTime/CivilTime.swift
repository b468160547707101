/// A day and a time of that day, to the second. Its clock knows no leap seconds and no zone: read
/// it as UTC, or as local time where an offset was added.
public struct CivilTime: Sendable, Hashable {
    /// The day.
    public var date: CivilDate
    /// Seconds since midnight, 0…86,399.
    public var secondOfDay: Int64

    /// How many seconds a day has.
    public static let secondsPerDay: Int64 = 86_400

    /// That many seconds after 1970-01-01T00:00:00.
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

    /// `04:05:06`.
    public var clock: String {
        let (minutes, second) = secondOfDay.quotientAndRemainder(dividingBy: 60)
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour.zeroPadded(to: 2)):\(minute.zeroPadded(to: 2)):\(second.zeroPadded(to: 2))"
    }
}
