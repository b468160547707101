internal import ProxydCivilTime
internal import Glibc

public enum Quantity {
    /// Bytes in decimal units, such as `999 B`, `1.2 kB` or `16 MB`.
    public static func bytes(_ count: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        var value = Double(max(0, count))
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        return "\(unit == 0 ? String(max(0, count)) : short(value)) \(units[unit])"
    }

    /// Nanoseconds in a suitable unit, such as `350 µs`, `12 ms`, `1.24 s`, `2 m 3 s` or `1 h 4 m`.
    public static func duration(_ nanoseconds: Int64) -> String {
        let seconds = Double(max(0, nanoseconds)) / 1e9
        switch seconds {
        case ..<0.000_999_5: return "\(Int64((seconds * 1e6).rounded())) µs"
        case ..<0.999_5: return "\(short(seconds * 1e3)) ms"
        case ..<59.95: return "\(short(seconds)) s"
        case ..<60: return "1 m 0 s"
        case ..<3_600: return "\(Int64(seconds) / 60) m \(Int64(seconds) % 60) s"
        default:
            let minutes = Int64(seconds) / 60
            return "\(minutes / 60) h \(minutes % 60) m"
        }
    }

    /// A number with thousands separators, such as `1,234,567`.
    public static func grouped(_ number: Int64) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// A number with a noun: `1 exchange`, `2 exchanges`, `1234 exchanges` or `1,234 exchanges`.
    public static func count(
        _ number: some BinaryInteger, _ noun: String, isGrouped: Bool = false
    ) -> String {
        let digits = isGrouped ? grouped(Int64(clamping: number)) : "\(number)"
        return "\(digits) \(noun)\(number == 1 ? "" : "s")"
    }

    /// A number with about three significant digits, such as `1.24`, `12.4` or `124`.
    private static func short(_ value: Double) -> String {
        let places = value < 9.995 ? 100.0 : value < 99.95 ? 10.0 : 1.0
        let rounded = Int64((value * places).rounded())
        let unit = Int64(places)
        guard unit > 1, rounded % unit != 0 else { return String(rounded / unit) }
        var fraction = String(rounded % unit)
        fraction = String(repeating: "0", count: (unit == 100 ? 2 : 1) - fraction.count) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(rounded / unit).\(fraction)"
    }

    /// The colour for a number on a scale from little to much, with steps of a factor of ten.
    package static func scale(_ number: Int64, from start: Int64) -> Style.Role {
        let steps: [Style.Role] = [.scale1, .scale2, .scale3, .scale4]
        var bound = start
        for role in steps {
            if number < bound { return role }
            bound = bound.multipliedReportingOverflow(by: 10).partialValue
        }
        return .scale5
    }
}

/// Formats wall-clock times in one time zone. Times are nanoseconds since 1970.
package struct WallTime: Sendable {
    package enum Zone: Sendable, Hashable {
        case utc
        /// The zone that `TZ` or the system specifies.
        case local
    }

    package let zone: Zone

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
