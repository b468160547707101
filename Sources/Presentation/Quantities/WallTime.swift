internal import ProxydCivilTime
internal import Glibc

/// Formats wall-clock times in one time zone. Times are nanoseconds since 1970.
package struct WallTime: Sendable {
    /// The time zone.
    package enum Zone: Sendable, Hashable {
        case utc
        /// The zone that `TZ` or the system specifies.
        case local
    }

    package let zone: Zone

    /// Creates a clock for a time zone.
    package init(_ zone: Zone = .utc) { self.zone = zone }

    /// A clock in the local zone of the user who started the program.
    package static let local = WallTime(.local)

    /// The time of day, such as `10:00:00`.
    package func time(_ nanoseconds: Int64) -> String { fields(nanoseconds).clock }

    /// The time of day with milliseconds, such as `10:00:00.123`.
    package func precise(_ nanoseconds: Int64) -> String {
        let rest = nanoseconds.flooredDivision(by: 1_000_000_000).remainder
        return time(nanoseconds) + "." + (rest / 1_000_000).zeroPadded(to: 3)
    }

    /// The date, such as `2026-11-20`.
    package func date(_ nanoseconds: Int64) -> String { fields(nanoseconds).date.description }

    /// The date and time, such as `2026-11-20 10:00:00`.
    package func full(_ nanoseconds: Int64) -> String {
        moment(seconds: WallTime.seconds(nanoseconds))
    }

    /// The date and time of seconds since 1970, also before 1678 and after 2262.
    package func moment(seconds: Int64) -> String {
        let fields = fields(seconds: seconds)
        return "\(fields.date) \(fields.clock)"
    }

    /// The time of day, or the month, day and time if it is more than 12 hours from `now`.
    package func short(_ nanoseconds: Int64, now: Int64) -> String {
        let fields = fields(nanoseconds)
        let (distance, isOver) = now.subtractingReportingOverflow(nanoseconds)
        if !isOver, distance.magnitude < 12 * 3_600 * 1_000_000_000 { return fields.clock }
        return "\(fields.date.description.suffix(5)) \(fields.clock.prefix(5))"
    }

    /// Whole seconds, rounded down.
    static func seconds(_ nanoseconds: Int64) -> Int64 {
        nanoseconds.flooredDivision(by: 1_000_000_000).quotient
    }

    private func fields(_ nanoseconds: Int64) -> CivilTime {
        fields(seconds: WallTime.seconds(nanoseconds))
    }

    private func fields(seconds: Int64) -> CivilTime {
        guard zone == .local else { return CivilTime(secondsSinceEpoch: seconds) }
        var (fields, time) = (tm(), time_t(seconds))
        localtime_r(&time, &fields)
        return CivilTime(secondsSinceEpoch: seconds &+ Int64(fields.tm_gmtoff))
    }
}
