/// Moments as PostgreSQL counts them: microseconds since 2000-01-01 UTC.
package enum CentralTime {
    private static let epochNs: Int64 = 946_684_800_000_000_000
    /// Before every exchange, and within what PostgreSQL can count: 4713 BC.
    package static let earliest: Int64 = -211_813_488_000_000_000
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// A moment in nanoseconds since 1970, rounded down.
    package static func microseconds(ns: Int64) -> Int64 {
        let (since, isOver) = ns.subtractingReportingOverflow(epochNs)
        let number = isOver ? Int64.min : since
        return number >= 0 ? number / 1_000 : -((-(number &+ 1)) / 1_000) - 1
    }

    /// The days since 2000-01-01 of a moment in nanoseconds since 1970.
    package static func day(ns: Int64) -> Int64 {
        let number = microseconds(ns: ns)
        return number >= 0
            ? number / dayMicroseconds : -((-(number &+ 1)) / dayMicroseconds) - 1
    }

    /// The start of a day, in microseconds since 2000.
    package static func microseconds(day: Int64) -> Int64 { day &* dayMicroseconds }
}
