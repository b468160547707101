internal import ProxydCivilTime
internal import ProxydSystem

/// A moment as HTTP writes it: whole seconds, UTC (RFC 9110 §5.6.7).
public struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public var secondsSinceEpoch: Int64

    /// A moment.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// The wall clock's moment.
    public static var now: HTTPDate {
        HTTPDate(secondsSinceEpoch: SystemClock.wallNow() / 1_000_000_000)
    }

    /// Reads one of the three forms that recipients have to accept, strictly: IMF-fixdate, the
    /// obsolete RFC 850 form and that of `asctime`; nil for anything else. A year of two digits
    /// is the latest that is not more than 50 years after `now`.
    public init?(_ text: String, now: HTTPDate = .now) {
        self.init(octets: Array(text.utf8), now: now)
    }

    /// The same out of bytes.
    public init?(octets: [UInt8], now: HTTPDate = .now) {
        guard let date = HTTPDateReader(octets, now: now).date() else { return nil }
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

    /// The moment some seconds later, held at the ends of time.
    public func advanced(bySeconds seconds: Int64) -> HTTPDate {
        let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
        return HTTPDate(secondsSinceEpoch: overflow ? (seconds < 0 ? .min : .max) : sum)
    }
}
