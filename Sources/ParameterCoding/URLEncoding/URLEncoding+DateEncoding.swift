extension URLEncoding {
    /// How dates are converted to text.
    public enum DateEncoding: Sendable {
        /// Seconds since 2001-01-01T00:00:00Z, as `Date` encodes itself.
        case deferredToDate
        /// Seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// Milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// `2001-01-01T00:02:03Z` (RFC 3339), whole seconds.
        case iso8601
        /// A pattern of `y M d H m s S` in UTC, with other letters in apostrophes: `yyyy-MM-dd
        /// HH:mm:ss.SSS`. The number of letters is the number of digits.
        case formatted(String)
        /// The text that the closure returns; the encoder rethrows its errors.
        case custom(@Sendable (ParameterDate) throws -> String)
    }
}
