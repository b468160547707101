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

    /// Parses the same formats from bytes.
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
    private var rest: ArraySlice<UInt8>
    private let now: HTTPDate

    private static let longDayNames = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    init(_ bytes: [UInt8], now: HTTPDate) {
        rest = bytes[...]
        self.now = now
    }

    func date() -> HTTPDate? { fixed() ?? rfc850() ?? asctime() }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private func fixed() -> HTTPDate? {
        var reader = self
        guard reader.takeName(of: CivilDate.dayNames) != nil, reader.take(", "),
            let day = reader.takeNumber(2), reader.take(" "),
            let month = reader.takeName(of: CivilDate.monthNames), reader.take(" "),
            let year = reader.takeNumber(4), reader.take(" ")
        else { return nil }
        return reader.end(year: year, month: month, day: day, suffix: " GMT")
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private func rfc850() -> HTTPDate? {
        var reader = self
        guard reader.takeName(of: HTTPDateReader.longDayNames) != nil, reader.take(", "),
            let day = reader.takeNumber(2), reader.take("-"),
            let month = reader.takeName(of: CivilDate.monthNames), reader.take("-"),
            let shortYear = reader.takeNumber(2), reader.take(" ")
        else { return nil }
        return reader.end(year: fullYear(shortYear), month: month, day: day, suffix: " GMT")
    }

    /// `Sun Nov  6 08:49:37 1994`
    private func asctime() -> HTTPDate? {
        var reader = self
        guard reader.takeName(of: CivilDate.dayNames) != nil, reader.take(" "),
            let month = reader.takeName(of: CivilDate.monthNames), reader.take(" "),
            let day = reader.take(" ") ? reader.takeNumber(1) : reader.takeNumber(2),
            reader.take(" "), let time = reader.takeTime(), reader.take(" "),
            let year = reader.takeNumber(4), reader.rest.isEmpty
        else { return nil }
        return HTTPDateReader.date(year: Int64(year), month: month, day: day, time: time)
    }

    private func fullYear(_ shortYear: Int) -> Int {
        let last = Int(CivilTime(secondsSinceEpoch: now.secondsSinceEpoch).date.year) + 50
        return last - (last - shortYear) % 100
    }

    private mutating func end(year: Int, month: Int, day: Int, suffix: String) -> HTTPDate? {
        guard let time = takeTime(), take(suffix), rest.isEmpty else { return nil }
        return HTTPDateReader.date(year: Int64(year), month: month, day: day, time: time)
    }

    private static func date(
        year: Int64, month: Int, day: Int, time: (hour: Int, minute: Int, second: Int)
    ) -> HTTPDate? {
        let date = CivilDate(year: year, month: month, day: day)
        // A leap second counts as the last second of its minute.
        guard date.isValid, time.hour < 24, time.minute < 60, time.second <= 60 else { return nil }
        let moment = CivilTime(
            date, hour: Int64(time.hour), minute: Int64(time.minute),
            second: Int64(min(time.second, 59)))
        return HTTPDate(secondsSinceEpoch: moment.secondsSinceEpoch)
    }

    private mutating func takeTime() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = takeNumber(2), take(":"), let minute = takeNumber(2), take(":"),
            let second = takeNumber(2)
        else { return nil }
        return (hour, minute, second)
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// The position of the name in the list, counted from 1.
    private mutating func takeName(of names: [String]) -> Int? {
        for (index, name) in names.enumerated() where take(name) { return index + 1 }
        return nil
    }

    private mutating func takeNumber(_ digitCount: Int) -> Int? {
        let digits = rest.prefix(digitCount)
        guard digits.count == digitCount, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        rest = rest.dropFirst(digitCount)
        return digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    }
}
