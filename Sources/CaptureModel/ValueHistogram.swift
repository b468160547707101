/// Counts values by size with an error of at most 0.8 %, enough for percentiles of millions of
/// values in a few kilobytes.
public struct ValueHistogram: Sendable, Hashable {
    /// There are two to the power of this many buckets from each power of two to the next.
    private static let stepBits = 7

    /// The number of values in each bucket.
    private var counts: [Int: Int64] = [:]
    /// The number of values.
    public private(set) var count: Int64 = 0
    /// The exact minimum; 0 if there are no values.
    public private(set) var least: Int64 = 0
    /// The exact maximum; 0 if there are no values.
    public private(set) var largest: Int64 = 0
    /// The exact sum of all values, or the maximum integer if it overflows.
    public private(set) var sum: Int64 = 0

    /// Creates a histogram without values.
    public init() {}

    /// Adds a value; a negative one counts as 0.
    public mutating func add(_ value: Int64) {
        let value = max(0, value)
        least = count == 0 ? value : min(least, value)
        largest = max(largest, value)
        count &+= 1
        let (total, isOver) = sum.addingReportingOverflow(value)
        sum = isOver ? .max : total
        counts[ValueHistogram.bucket(value), default: 0] &+= 1
    }

    /// Returns a value that the given share of all values does not exceed, or nil if there are
    /// none.
    public func percentile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, min(count, Int64((min(1, max(0, share)) * Double(count)).rounded(.up))))
        if rank == count { return largest }
        var seen: Int64 = 0
        for (bucket, number) in counts.sorted(by: { $0.key < $1.key }) {
            seen &+= number
            if seen >= rank {
                return max(least, min(largest, ValueHistogram.middle(of: bucket)))
            }
        }
        return largest
    }

    /// The mean, or nil if there are no values.
    public var mean: Int64? { count > 0 ? sum / count : nil }

    /// Values below 2^8 have a bucket each; above that, each power of two has 2^7 buckets.
    private static func bucket(_ value: Int64) -> Int {
        let magnitude = Int64.bitWidth - value.leadingZeroBitCount
        let shift = max(0, magnitude - stepBits - 1)
        return shift << stepBits + Int(truncatingIfNeeded: value >> Int64(shift))
    }

    private static func middle(of bucket: Int) -> Int64 {
        guard bucket >= 2 << stepBits else { return Int64(bucket) }
        let shift = bucket >> stepBits - 1
        let step = Int64(bucket - shift << stepBits)
        return step << Int64(shift) + (1 << Int64(shift)) / 2
    }
}
