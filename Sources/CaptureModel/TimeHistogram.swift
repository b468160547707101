/// Counts exchanges by the time at which they started, in intervals of equal length that grow with
/// the span of time. The result does not depend on the order in which exchanges are added.
public struct TimeHistogram: Sendable, Hashable {
    /// The maximum number of intervals from the first exchange to the last.
    public static let intervalCountMax = 120

    /// One interval.
    public struct Interval: Sendable, Hashable {
        /// The number of exchanges.
        public var count: Int64 = 0
        /// The number of those that failed or had a status of 400 or higher.
        public var errorCount: Int64 = 0
    }

    /// The length of an interval in nanoseconds: a second, doubled as often as necessary.
    public private(set) var intervalNs: Int64 = 1_000_000_000
    /// Intervals with exchanges, by their start in multiples of `intervalNs` since 1970.
    private var intervals: [Int64: Interval] = [:]
    private var first: Int64 = 0
    private var last: Int64 = 0

    /// Creates a histogram without exchanges.
    public init() {}

    /// Adds an exchange.
    public mutating func add(startedAtNs: Int64, isError: Bool) {
        var place = TimeHistogram.place(of: startedAtNs, intervalNs)
        (first, last) =
            intervals.isEmpty ? (place, place) : (min(first, place), max(last, place))
        // The difference of two times may be larger than any integer.
        while last.subtractingReportingOverflow(first).partialValue.magnitude
            >= UInt64(TimeHistogram.intervalCountMax), intervalNs < 1 << 61
        {
            widen()
            place = TimeHistogram.place(of: startedAtNs, intervalNs)
        }
        intervals[place, default: Interval()].count &+= 1
        if isError { intervals[place]?.errorCount &+= 1 }
    }

    /// The intervals from the first exchange to the last, with those that are empty between them,
    /// and the time at which each starts, in nanoseconds since 1970.
    public var all: [(startNs: Int64, interval: Interval)] {
        guard !intervals.isEmpty else { return [] }
        return (first...last).map { ($0 &* intervalNs, intervals[$0] ?? Interval()) }
    }

    private static func place(of time: Int64, _ intervalNs: Int64) -> Int64 {
        let quotient = time / intervalNs
        return time < 0 && quotient * intervalNs != time ? quotient - 1 : quotient
    }

    /// Doubles the length of the intervals.
    private mutating func widen() {
        var wider: [Int64: Interval] = [:]
        for (place, interval) in intervals {
            wider[place >> 1, default: Interval()].count &+= interval.count
            wider[place >> 1, default: Interval()].errorCount &+= interval.errorCount
        }
        intervals = wider
        intervalNs *= 2
        first >>= 1
        last >>= 1
    }
}
