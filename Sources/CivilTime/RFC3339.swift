/// Moments as RFC 3339 writes them, in UTC.
public enum RFC3339 {
    /// `2026-11-20T10:00:00.000Z` of nanoseconds since 1970; what is below a millisecond is cut.
    public static func text(nanoseconds: Int64) -> String {
        let (seconds, rest) = nanoseconds.flooredDivision(by: Nanoseconds.perSecond)
        return text(seconds: seconds, milliseconds: rest / 1_000_000)
    }

    /// `2026-11-20T10:00:00.000Z` of seconds since 1970, also before 1678 and after 2262.
    public static func text(seconds: Int64) -> String { text(seconds: seconds, milliseconds: 0) }

    private static func text(seconds: Int64, milliseconds: Int64) -> String {
        let time = CivilTime(secondsSinceEpoch: seconds)
        return "\(time.date)T\(time.clock).\(milliseconds.zeroPadded(to: 3))Z"
    }

    /// Nanoseconds since 1970 of `2026-11-20T10:00:00.123+01:00` and its like: seconds may be left
    /// out, as some writers do at a full minute, and without an offset it is UTC. Nil where it is
    /// no such time, or one of before 1678 or after 2262.
    public static func nanoseconds(_ text: String) -> Int64? {
        var reader = RFC3339Reader(bytes: Array(text.utf8))
        return reader.nanoseconds()
    }
}
