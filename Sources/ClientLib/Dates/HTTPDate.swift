internal import ProxydCivilTime
internal import ProxydSystem

/// A date in HTTP: whole seconds in UTC (RFC 9110 §5.6.7).
public struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var secondsSinceEpoch: Int64

    /// Creates a date from seconds.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// The current wall-clock time.
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

    /// Orders by time.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// The date some seconds later, clamped to the range of `Int64`.
    public func advanced(bySeconds seconds: Int64) -> HTTPDate {
        let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
        return HTTPDate(secondsSinceEpoch: overflow ? (seconds < 0 ? .min : .max) : sum)
    }
}
