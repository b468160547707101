internal import ProxydCivilTime
internal import Foundation

/// Wall-clock times as text, in one time zone.
struct WallTime: Sendable {
    var timeZone: TimeZone

    /// A clock of a zone; `nil` is UTC.
    init(_ timeZone: TimeZone? = nil) { self.timeZone = timeZone ?? .gmt }

    /// `10:00:00`.
    func time(_ nanoseconds: Int64) -> String { local(nanoseconds).clock }

    /// `10:00:00.123`.
    func precise(_ nanoseconds: Int64) -> String {
        let rest = nanoseconds.flooredDivision(by: 1_000_000_000).remainder
        return time(nanoseconds) + "." + (rest / 1_000_000).zeroPadded(to: 3)
    }

    /// `2026-11-20`.
    func date(_ nanoseconds: Int64) -> String { local(nanoseconds).date.description }

    /// The time of day, or month, day and time where that is more than 12 hours from `now`.
    func short(_ nanoseconds: Int64, now: Int64) -> String {
        let distance = now.subtractingReportingOverflow(nanoseconds).partialValue.magnitude
        if distance < 12 * 3_600 * 1_000_000_000 { return time(nanoseconds) }
        return "\(date(nanoseconds).suffix(5)) \(time(nanoseconds).prefix(5))"
    }

    private func local(_ nanoseconds: Int64) -> CivilTime {
        let seconds = nanoseconds.flooredDivision(by: 1_000_000_000).quotient
        let offset = timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        return CivilTime(secondsSinceEpoch: seconds &+ Int64(offset))
    }
}
