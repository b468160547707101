/// Moments as PostgreSQL counts them: microseconds since 2000-01-01 UTC.
package enum CentralTime {
    private static let epoch: Int64 = 946_684_800_000_000
    /// Before every exchange, and within what PostgreSQL can count: 4713 BC.
    package static let earliest: Int64 = -211_813_488_000_000_000
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// A moment in nanoseconds since 1970, rounded down.
    package static func microseconds(ns: Int64) -> Int64 {
        quotientRoundedDown(ns, 1_000) - epoch
    }

    /// The days since 2000-01-01 of a moment in nanoseconds since 1970.
    package static func day(ns: Int64) -> Int64 {
        quotientRoundedDown(microseconds(ns: ns), dayMicroseconds)
    }

    /// The start of a day, in microseconds since 2000.
    package static func microseconds(day: Int64) -> Int64 { day &* dayMicroseconds }

    private static func quotientRoundedDown(_ number: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
