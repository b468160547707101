internal import ProxydCivilTime
internal import ProxydSystem

/// A date in HTTP: whole seconds in UTC (RFC 9110 §5.6.7).
public struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var secondsSinceEpoch: Int64

    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    public static var now: HTTPDate {
        HTTPDate(secondsSinceEpoch: SystemClock.wallNow() / 1_000_000_000)
    }

    /// Strictly parses one of the three formats that recipients must accept: IMF-fixdate, the
    /// obsolete RFC 850 format and that of `asctime`; nil for anything else. A two-digit year is
    /// the latest one that is at most 50 years after `now`.
    public init?(_ text: String, now: HTTPDate = .now) {
        self.init(bytes: Array(text.utf8), now: now)
    }

    public init?(bytes: [UInt8], now: HTTPDate = .now) {
        guard let date = HTTPDateReader(bytes, now: now).date() else { return nil }
        self = date
    }

    /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var description: String {
        CivilTime(secondsSinceEpoch: secondsSinceEpoch).imfFixdate
    }

    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// The date some seconds later, clamped to the range of `Int64`.
    public func advanced(bySeconds seconds: Int64) -> HTTPDate {
        let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
        return HTTPDate(secondsSinceEpoch: overflow ? (seconds < 0 ? .min : .max) : sum)
    }
}

/// Parses the three formats of an HTTP date (RFC 9110 §5.6.7).
struct HTTPDateReader {
    private let text: TimeText
    private let now: HTTPDate

    private static let longDayNames = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    init(_ bytes: [UInt8], now: HTTPDate) {
        text = TimeText(bytes)
        self.now = now
    }

    func date() -> HTTPDate? { fixed() ?? rfc850() ?? asctime() }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private func fixed() -> HTTPDate? {
        var text = text
        guard text.name(of: CivilDate.dayNames) != nil, text.skip(", "),
            let day = text.number(2), text.skip(" "),
            let month = text.name(of: CivilDate.monthNames), text.skip(" "),
            let year = text.number(4), text.skip(" "),
            let second = text.clockInSeconds(allowsLeapSecond: true), text.skip(" GMT"),
            text.isAtEnd
        else { return nil }
        return date(year: year, month: month, day: day, second: second)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private func rfc850() -> HTTPDate? {
        var text = text
        guard text.name(of: HTTPDateReader.longDayNames) != nil, text.skip(", "),
            let day = text.number(2), text.skip("-"),
            let month = text.name(of: CivilDate.monthNames), text.skip("-"),
            let shortYear = text.number(2), text.skip(" "),
            let second = text.clockInSeconds(allowsLeapSecond: true), text.skip(" GMT"),
            text.isAtEnd
        else { return nil }
        let last = CivilTime(secondsSinceEpoch: now.secondsSinceEpoch).date.year + 50
        let year = last - (last - shortYear) % 100
        return date(year: year, month: month, day: day, second: second)
    }

    /// `Sun Nov  6 08:49:37 1994`
    private func asctime() -> HTTPDate? {
        var text = text
        guard text.name(of: CivilDate.dayNames) != nil, text.skip(" "),
            let month = text.name(of: CivilDate.monthNames), text.skip(" "),
            let day = text.skip(" ") ? text.number(1) : text.number(2), text.skip(" "),
            let second = text.clockInSeconds(allowsLeapSecond: true), text.skip(" "),
            let year = text.number(4), text.isAtEnd
        else { return nil }
        return date(year: year, month: month, day: day, second: second)
    }

    /// - Parameter second: Of the day.
    private func date(year: Int64, month: Int, day: Int64, second: Int64) -> HTTPDate? {
        let date = CivilDate(year: year, month: month, day: Int(day))
        guard date.isValid else { return nil }
        return HTTPDate(secondsSinceEpoch: date.daysSinceEpoch * CivilTime.secondsPerDay + second)
    }
}
