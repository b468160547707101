extension URLEncoding {
    /// How points in time become text.
    public enum DateEncoding: Sendable {
        /// Seconds since 2001-01-01T00:00:00Z, as `Date` encodes itself.
        case deferredToDate
        /// Seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// Milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// `2001-01-01T00:02:03Z` (RFC 3339), whole seconds.
        case iso8601
        /// A pattern of `y M d H m s S` in UTC, other letters in apostrophes:
        /// `yyyy-MM-dd HH:mm:ss.SSS`. The letter's count is the count of digits.
        case formatted(String)
        /// The text given; what is thrown leaves the encoder as it is.
        case custom(@Sendable (ParameterDate) throws -> String)
    }
}
