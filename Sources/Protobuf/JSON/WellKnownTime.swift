internal import ProxydCivilTime

/// Formats timestamps and durations as in ProtoJSON.
enum WellKnownTime {
    /// From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    private static let timestamps: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// 10,000 years in either direction.
    private static let durations: ClosedRange<Int64> = -315_576_000_000...315_576_000_000

    /// `1972-01-01T10:00:20.021Z`; nil if it is out of range.
    static func timestamp(seconds: Int64, nanos: Int64) -> String? {
        guard timestamps.contains(seconds), (0...999_999_999).contains(nanos) else { return nil }
        let time = CivilTime(secondsSinceEpoch: seconds)
        return "\(time.date)T\(time.clock)\(fraction(nanos))Z"
    }

    /// `1.000340012s`; nil if it is out of range, or its parts have different signs.
    static func duration(seconds: Int64, nanos: Int64) -> String? {
        guard durations.contains(seconds), (-999_999_999...999_999_999).contains(nanos),
            seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0)
        else { return nil }
        let sign = seconds < 0 || nanos < 0 ? "-" : ""
        return "\(sign)\(seconds.magnitude)\(fraction(Int64(nanos.magnitude)))s"
    }

    /// Three, six or nine digits after a point; empty for 0.
    private static func fraction(_ nanos: Int64) -> String {
        if nanos == 0 { return "" }
        if nanos % 1_000_000 == 0 { return "." + (nanos / 1_000_000).zeroPadded(to: 3) }
        if nanos % 1_000 == 0 { return "." + (nanos / 1_000).zeroPadded(to: 6) }
        return "." + nanos.zeroPadded(to: 9)
    }
}
