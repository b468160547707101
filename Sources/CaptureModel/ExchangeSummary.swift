public import ProxydHTTPModel

public struct ExchangeSummary: Sendable, Hashable {
    /// The maximum number of different hosts and methods; see `Branches.nameCountMax`.
    public static let nameCountMax = 20_000
    /// How many of the slowest exchanges are listed.
    public static let slowestCountMax = 20

    public struct Slow: Sendable, Hashable {
        public let id: ExchangeID
        public let durationNs: Int64
    }

    public private(set) var all = BranchTotals()
    /// The start time of the oldest exchange in nanoseconds since 1970; 0 if there is none.
    public private(set) var firstStartedAtNs: Int64 = 0
    /// The number of exchanges by status; the key is nil for exchanges without a response.
    public private(set) var statuses: [Int?: Int64] = [:]
    /// The number of exchanges by method; the key is nil if the request could not be parsed.
    public private(set) var methods: [String?: Int64] = [:]
    /// Totals by host; the key is nil if the request could not be parsed.
    public private(set) var hosts: [String?: BranchTotals] = [:]
    /// The number of exchanges whose methods or hosts are beyond the maximum.
    public private(set) var otherCount: Int64 = 0
    /// Response body sizes of ended exchanges in bytes.
    public private(set) var sizes = ValueHistogram()
    /// Durations of ended exchanges in nanoseconds.
    public private(set) var durations = ValueHistogram()
    /// The number of exchanges by the media type of the response, in lower case and without
    /// parameters; the key is nil for responses without a type. Types beyond the maximum number of
    /// names are not counted.
    public private(set) var types: [String?: Int64] = [:]
    public private(set) var times = TimeHistogram()
    /// Slowest first.
    public private(set) var slowest: [Slow] = []

    public init() {}

    package mutating func add(
        _ totals: BranchTotals, firstStartedAtNs: Int64, status: Int?, method: String?,
        host: String?
    ) {
        self.firstStartedAtNs =
            all.count == 0 ? firstStartedAtNs : min(self.firstStartedAtNs, firstStartedAtNs)
        all += totals
        statuses[status, default: 0] &+= totals.count
        let hasRoom =
            (hosts[host] != nil || hosts.count < ExchangeSummary.nameCountMax)
            && (methods[method] != nil || methods.count < ExchangeSummary.nameCountMax)
        guard hasRoom else {
            otherCount &+= totals.count
            return
        }
        methods[method, default: 0] &+= totals.count
        hosts[host, default: BranchTotals()] += totals
    }

    package struct Measure {
        package var id: ExchangeID
        /// The duration in nanoseconds, or nil if the exchange has not ended.
        package var durationNs: Int64?
        package var responseByteCount: Int64
        /// The Content-Type of the response, or nil if it has none.
        package var responseType: String?
        /// The start time in nanoseconds since 1970.
        package var startedAtNs: Int64
        /// Whether the exchange failed or had a status of 400 or higher.
        package var isError: Bool

        package init(
            id: ExchangeID, durationNs: Int64?, responseByteCount: Int64, responseType: String?,
            startedAtNs: Int64, isError: Bool
        ) {
            self.id = id
            self.durationNs = durationNs
            self.responseByteCount = responseByteCount
            self.responseType = responseType
            self.startedAtNs = startedAtNs
            self.isError = isError
        }
    }

    package mutating func add(_ measure: Measure) {
        times.add(startedAtNs: measure.startedAtNs, isError: measure.isError)
        let type = measure.responseType.map(ExchangeSummary.mediaType)
        if types[type] != nil || types.count < ExchangeSummary.nameCountMax {
            types[type, default: 0] &+= 1
        }
        add(
            measure.id, durationNs: measure.durationNs,
            responseByteCount: measure.responseByteCount)
    }

    /// The type without its parameters, in lower case.
    private static func mediaType(_ field: String) -> String {
        let type = field.prefix { $0 != ";" }.drop { $0 == " " || $0 == "\t" }
        return type.prefix { $0 != " " && $0 != "\t" }.lowercased()
    }

    private mutating func add(_ id: ExchangeID, durationNs: Int64?, responseByteCount: Int64) {
        guard let durationNs else { return }
        durations.add(durationNs)
        sizes.add(responseByteCount)
        if slowest.count == ExchangeSummary.slowestCountMax, let last = slowest.last,
            last.durationNs >= durationNs
        {
            return
        }
        let index = slowest.firstIndex { $0.durationNs < durationNs } ?? slowest.count
        slowest.insert(Slow(id: id, durationNs: durationNs), at: index)
        if slowest.count > ExchangeSummary.slowestCountMax { slowest.removeLast() }
    }

    public mutating func add(_ row: ExchangeRow) {
        let totals = BranchTotals(row)
        add(
            totals, firstStartedAtNs: row.startedAtNs, status: row.status, method: row.method,
            host: row.host)
        add(
            Measure(
                id: row.id, durationNs: row.durationNs,
                responseByteCount: row.responseBodyByteCount,
                responseType: row.responseContentType, startedAtNs: row.startedAtNs,
                isError: totals.errorCount > 0))
    }
}

/// Counts exchanges by the time at which they started, in intervals of equal length that grow with
/// the span of time. The result does not depend on the order in which exchanges are added.
public struct TimeHistogram: Sendable, Hashable {
    /// The maximum number of intervals from the first exchange to the last.
    public static let intervalCountMax = 120

    public struct Interval: Sendable, Hashable {
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

    public init() {}

    public mutating func add(startedAtNs: Int64, isError: Bool) {
        var slot = TimeHistogram.slot(of: startedAtNs, intervalNs)
        (first, last) = intervals.isEmpty ? (slot, slot) : (min(first, slot), max(last, slot))
        // The difference of two times may be larger than any integer.
        while last.subtractingReportingOverflow(first).partialValue.magnitude
            >= UInt64(TimeHistogram.intervalCountMax), intervalNs < 1 << 61
        {
            widen()
            slot = TimeHistogram.slot(of: startedAtNs, intervalNs)
        }
        intervals[slot, default: Interval()].count &+= 1
        if isError { intervals[slot]?.errorCount &+= 1 }
    }

    /// The intervals from the first exchange to the last, with those that are empty between them,
    /// and the time at which each starts, in nanoseconds since 1970.
    public var all: [(startNs: Int64, interval: Interval)] {
        guard !intervals.isEmpty else { return [] }
        return (first...last).map { ($0 &* intervalNs, intervals[$0] ?? Interval()) }
    }

    private static func slot(of time: Int64, _ intervalNs: Int64) -> Int64 {
        let quotient = time / intervalNs
        return time < 0 && quotient * intervalNs != time ? quotient - 1 : quotient
    }

    /// Doubles the length of the intervals.
    private mutating func widen() {
        var wider: [Int64: Interval] = [:]
        for (slot, interval) in intervals {
            wider[slot >> 1, default: Interval()].count &+= interval.count
            wider[slot >> 1, default: Interval()].errorCount &+= interval.errorCount
        }
        intervals = wider
        intervalNs *= 2
        first >>= 1
        last >>= 1
    }
}

/// Counts values by size with an error of at most 0.8 %, enough for percentiles of millions of
/// values in a few kilobytes.
public struct ValueHistogram: Sendable, Hashable {
    /// There are two to the power of this many buckets from each power of two to the next.
    private static let stepBits = 7

    /// The number of values in each bucket.
    private var counts: [Int: Int64] = [:]
    public private(set) var count: Int64 = 0
    /// The exact minimum; 0 if there are no values.
    public private(set) var least: Int64 = 0
    /// The exact maximum; 0 if there are no values.
    public private(set) var largest: Int64 = 0
    /// The exact sum of all values, or the maximum integer if it overflows.
    public private(set) var sum: Int64 = 0

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

    /// Returns a value that the given share of values does not exceed, or nil without values.
    public func percentile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, min(count, Int64((min(1, max(0, share)) * Double(count)).rounded(.up))))
        if rank == count { return largest }
        var seen: Int64 = 0
        for (bucket, number) in counts.sorted(by: { $0.key < $1.key }) {
            seen &+= number
            if seen >= rank { return max(least, min(largest, ValueHistogram.middle(of: bucket))) }
        }
        return largest
    }

    /// Nil if there are no values.
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
