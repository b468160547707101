internal import Foundation

/// Wall-clock times as text, in one time zone.
struct WallTime: Sendable {
    var timeZone: TimeZone

    /// A clock of a zone; `nil` is UTC.
    init(_ timeZone: TimeZone? = nil) { self.timeZone = timeZone ?? .gmt }

    /// `10:00:00`.
    func time(_ nanoseconds: Int64) -> String {
        let second = fields(nanoseconds).second
        return "\(pad(second / 3_600)):\(pad(second / 60 % 60)):\(pad(second % 60))"
    }

    /// `10:00:00.123`.
    func precise(_ nanoseconds: Int64) -> String {
        let rest = nanoseconds &- floored(nanoseconds, 1_000_000_000) &* 1_000_000_000
        let digits = String(1_000 + rest / 1_000_000).dropFirst()
        return time(nanoseconds) + "." + digits
    }

    /// `2026-11-20`.
    func date(_ nanoseconds: Int64) -> String {
        // Howard Hinnant's days-to-date: proleptic Gregorian, no calendar object needed.
        let day = fields(nanoseconds).day + 719_468
        let era = floored(day, 146_097)
        let ofEra = day - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * ofYear + 2) / 153
        let dayOfMonth = ofYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(year)-\(pad(month))-\(pad(dayOfMonth))"
    }

    /// The time of day, or month, day and time where that is more than 12 hours from `now`.
    func short(_ nanoseconds: Int64, now: Int64) -> String {
        let distance = now.subtractingReportingOverflow(nanoseconds).partialValue.magnitude
        if distance < 12 * 3_600 * 1_000_000_000 { return time(nanoseconds) }
        return "\(date(nanoseconds).suffix(5)) \(time(nanoseconds).prefix(5))"
    }

    private func fields(_ nanoseconds: Int64) -> (day: Int64, second: Int64) {
        let seconds = floored(nanoseconds, 1_000_000_000)
        let date = Date(timeIntervalSince1970: Double(seconds))
        let local = seconds &+ Int64(timeZone.secondsFromGMT(for: date))
        let day = floored(local, 86_400)
        return (day, local - day * 86_400)
    }

    private func floored(_ number: Int64, _ divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : ~(~number / divisor)
    }

    private func pad(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
