internal import ProxydCaptureModel

/// A period of time, in nanoseconds since 1970.
struct TimeSpan: Sendable, Hashable {
    /// At least ten microseconds: less is meaningless between two machines.
    private static let lengthMin: Int64 = 10_000
    /// About thirty years.
    private static let lengthMax: Int64 = 1_000_000_000_000_000_000

    let start: Int64
    let length: Int64

    init(start: Int64, length: Int64) {
        self.start = start
        self.length = max(TimeSpan.lengthMin, min(TimeSpan.lengthMax, length))
    }

    /// Creates the span from the first start to the last end of some rows.
    init(of rows: ArraySlice<ExchangeRow>, now: Int64) {
        let start = rows.map(\.startedAtNs).min() ?? now
        let end = rows.map { TimeSpan.end(of: $0, now: now) }.max() ?? now
        let (length, isOver) = end.subtractingReportingOverflow(start)
        self.init(start: start, length: isOver ? TimeSpan.lengthMax : length)
    }

    /// The minimum number of rows for some to count as outliers.
    private static let rowCountMin = 4
    /// Outliers are left out if the span of all rows is more than this many times that of most.
    private static let outlierFactor: Int64 = 4

    /// Creates the span of most rows if a few take so long or are so far away that the others would
    /// be compressed; otherwise the span of all rows. Nine in ten rows start in the span, and it
    /// contains all of their ends except those of the longest tenth.
    init(mostOf rows: ArraySlice<ExchangeRow>, now: Int64) {
        let all = TimeSpan(of: rows, now: now)
        let outlierCount = max(1, rows.count / 10)
        guard rows.count >= TimeSpan.rowCountMin else {
            self = all
            return
        }
        let parts = rows.map { row in
            TimeSpan(
                start: row.startedAtNs,
                length: TimeSpan.end(of: row, now: now).clampedSubtracting(row.startedAtNs))
        }.sorted { $0.start < $1.start }
        let lengths = parts.map(\.length).sorted()
        let longest = lengths[lengths.count - 1 - outlierCount]
        let ends = parts.map { $0.start.clampedAdding(min($0.length, longest)) }
        let count = parts.count - outlierCount
        // The narrowest window with this many starts, and the latest of equally narrow ones.
        var best = all
        for first in 0...outlierCount {
            let start = parts[first].start
            let end = ends[first..<first + count].max() ?? start
            let window = TimeSpan(start: start, length: end.clampedSubtracting(start))
            if window.length <= best.length { best = window }
        }
        // If the other starts are not far away, they are included, too.
        let start = parts.map(\.start).min() ?? best.start
        let end = ends.max() ?? start
        let clipped = TimeSpan(start: start, length: end.clampedSubtracting(start))
        let (enough, isOver) = best.length.multipliedReportingOverflow(
            by: TimeSpan.outlierFactor)
        let isNear = isOver || clipped.length <= enough
        let most = isNear ? clipped : best
        let (limit, isHuge) = most.length.multipliedReportingOverflow(by: TimeSpan.outlierFactor)
        self = isHuge || all.length <= limit ? all : most
    }

    /// The end of a row, or the current time if it has not ended.
    static func end(of row: ExchangeRow, now: Int64) -> Int64 {
        guard let duration = row.durationNs else { return max(row.startedAtNs, now) }
        return row.startedAtNs &+ max(0, duration) &+ max(0, row.heldNs ?? 0)
    }

    func contains(_ moment: Int64) -> Bool { (0..<1).contains(share(of: moment)) }

    /// The position of a moment: 0 at the start of the span, 1 at its end.
    func share(of moment: Int64) -> Double {
        (Double(moment) - Double(start)) / Double(length)
    }

    /// Scales the span; `moment` keeps its position.
    func scaled(by factor: Double, around moment: Int64?) -> TimeSpan {
        let share = moment.map { max(0, min(1, self.share(of: $0))) } ?? 0.5
        let scaled = TimeSpan(
            start: start, length: Int64(min(Double(length) * factor, 1e18)))
        let shift = share * (Double(length) - Double(scaled.length))
        return TimeSpan(start: start &+ Int64(shift), length: scaled.length)
    }

    func moved(by share: Double) -> TimeSpan {
        TimeSpan(start: start &+ Int64(Double(length) * share), length: length)
    }
}

extension Int64 {
    fileprivate func clampedSubtracting(_ other: Int64) -> Int64 {
        let (value, isOver) = subtractingReportingOverflow(other)
        return isOver ? (self < other ? .min : .max) : value
    }

    fileprivate func clampedAdding(_ other: Int64) -> Int64 {
        let (value, isOver) = addingReportingOverflow(other)
        return isOver ? (self < 0 ? .min : .max) : value
    }
}
