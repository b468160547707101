internal import ProxydCivilTime
internal import Glibc

/// Wall-clock times as text.
enum Timestamp {
    /// Local date and time: `2026-11-20 10:00:00`.
    static func local(_ nanoseconds: Int64) -> String {
        let time = localTime(nanoseconds)
        return "\(time.date) \(time.clock)"
    }

    /// The local time of day, or `11-20 10:00` where that is more than 12 hours from `now`.
    static func shortLocal(_ nanoseconds: Int64, now: Int64) -> String {
        let time = localTime(nanoseconds)
        let isNear =
            now.subtractingReportingOverflow(nanoseconds).partialValue.magnitude
            < 12 * 3_600 * 1_000_000_000
        return isNear ? time.clock : "\(time.date.description.suffix(5)) \(time.clock.prefix(5))"
    }

    private static func localTime(_ nanoseconds: Int64) -> CivilTime {
        let seconds = nanoseconds.flooredDivision(by: 1_000_000_000).quotient
        var (fields, time) = (tm(), time_t(seconds))
        localtime_r(&time, &fields)
        return CivilTime(secondsSinceEpoch: seconds &+ Int64(fields.tm_gmtoff))
    }
}
