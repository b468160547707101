internal import Glibc

/// Wall-clock times as text.
enum Timestamp {
    /// RFC 3339, UTC, milliseconds: `2026-11-20T10:00:00.123Z`.
    static func rfc3339(_ nanoseconds: Int64) -> String {
        let parts = split(nanoseconds)
        var fields = tm()
        var seconds = time_t(parts.seconds)
        gmtime_r(&seconds, &fields)
        let milliseconds = pad(parts.nanoseconds / 1_000_000, 3)
        return "\(date(fields))T\(clock(fields)).\(milliseconds)Z"
    }

    /// Local date and time: `2026-11-20 10:00:00`.
    static func local(_ nanoseconds: Int64) -> String {
        let fields = localFields(nanoseconds)
        return "\(date(fields)) \(clock(fields))"
    }

    /// The local time of day, or `11-20 10:00` where that is more than 12 hours from `now`.
    static func shortLocal(_ nanoseconds: Int64, now: Int64) -> String {
        let fields = localFields(nanoseconds)
        let isNear =
            now.subtractingReportingOverflow(nanoseconds).partialValue.magnitude
            < 12 * 3_600 * 1_000_000_000
        return isNear ? clock(fields) : "\(date(fields).suffix(5)) \(clock(fields).prefix(5))"
    }

    private static func localFields(_ nanoseconds: Int64) -> tm {
        var fields = tm()
        var seconds = time_t(split(nanoseconds).seconds)
        localtime_r(&seconds, &fields)
        return fields
    }

    private static func split(_ nanoseconds: Int64) -> (seconds: Int64, nanoseconds: Int64) {
        // Floored, so that times before 1970 come out right.
        let seconds =
            nanoseconds >= 0
            ? nanoseconds / 1_000_000_000 : ~(~nanoseconds / 1_000_000_000)
        return (seconds, nanoseconds &- seconds &* 1_000_000_000)
    }

    private static func date(_ fields: tm) -> String {
        "\(pad(Int64(fields.tm_year) + 1_900, 4))-\(pad(Int64(fields.tm_mon) + 1, 2))"
            + "-\(pad(Int64(fields.tm_mday), 2))"
    }

    private static func clock(_ fields: tm) -> String {
        "\(pad(Int64(fields.tm_hour), 2)):\(pad(Int64(fields.tm_min), 2))"
            + ":\(pad(Int64(fields.tm_sec), 2))"
    }

    private static func pad(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
