/// A point in time, as Foundation's `Date` stores it.
public struct ParameterDate: Sendable, Hashable {
    /// Seconds from 2001-01-01T00:00:00Z, the unit of `Date`, so that no precision is lost.
    public let secondsSince2001: Double

    /// Seconds between the Unix epoch and the reference date.
    static let secondsFrom1970To2001: Double = 978_307_200

    /// A point in time by its distance from the reference date.
    public init(secondsSince2001: Double) { self.secondsSince2001 = secondsSince2001 }

    /// A point in time by its distance from 1970-01-01T00:00:00Z.
    public init(secondsSince1970: Double) {
        self.init(secondsSince2001: secondsSince1970 - ParameterDate.secondsFrom1970To2001)
    }

    /// Seconds from 1970-01-01T00:00:00Z.
    public var secondsSince1970: Double {
        secondsSince2001 + ParameterDate.secondsFrom1970To2001
    }
}
