/// How a date is written in JSON, which has no type for it.
public enum JSONDateStyle: Sendable, Hashable {
    /// Seconds from 2001-01-01T00:00:00Z as a number, as Foundation's `Date` encodes itself.
    case deferredToDate
    /// Seconds from 1970-01-01T00:00:00Z as a number.
    case secondsSince1970
    /// Milliseconds from 1970-01-01T00:00:00Z as a number.
    case millisecondsSince1970
    /// `2001-02-03T04:05:06Z` as a string, with fractions of a second truncated.
    case iso8601
}
