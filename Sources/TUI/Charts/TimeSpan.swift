internal import ProxydCaptureModel

/// A part of time, in nanoseconds since 1970.
struct TimeSpan: Sendable, Hashable {
    /// Ten microseconds at least: less is no time between two machines.
    private static let lengthMin: Int64 = 10_000
    /// About thirty years.
    private static let lengthMax: Int64 = 1_000_000_000_000_000_000

    let start: Int64
    let length: Int64

    init(start: Int64, length: Int64) {
        self.start = start
        self.length = max(TimeSpan.lengthMin, min(TimeSpan.lengthMax, length))
    }

    /// From the first beginning to the last end of some rows.
    init(of rows: ArraySlice<ExchangeRow>, now: Int64) {
        let start = rows.map(\.startedAtNs).min() ?? now
        let end = rows.map { TimeSpan.end(of: $0, now: now) }.max() ?? now
        let (length, isOver) = end.subtractingReportingOverflow(start)
        self.init(start: start, length: isOver ? TimeSpan.lengthMax : length)
    }

    /// From how many rows on some can be far from the others.
    private static let rowCountMin = 4
    /// How many times longer all of them have to take than most of them.
    private static let outlierFactor: Int64 = 4

    /// The time of most rows, where few take or lie so far away that the others would be
    /// squeezed; else that of all. Nine in ten rows begin in it, and all of their ends are in it
    /// but those of the longest tenth.
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
        // The narrowest window of so many beginnings, the latest of them.
        var best = all
        for first in 0...outlierCount {
            let start = parts[first].start
            let end = ends[first..<first + count].max() ?? start
            let window = TimeSpan(start: start, length: end.clampedSubtracting(start))
            if window.length <= best.length { best = window }
        }
        // Where the others are not far away, they are in it, too.
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

    /// When a row was over; now, where it is not.
    static func end(of row: ExchangeRow, now: Int64) -> Int64 {
        row.durationNs.map { row.startedAtNs &+ max(0, $0) } ?? max(row.startedAtNs, now)
    }

    func contains(_ moment: Int64) -> Bool { (0..<1).contains(share(of: moment)) }

    /// Where a moment lies in it: 0 at its start, 1 at its end.
    func share(of moment: Int64) -> Double {
        (Double(moment) - Double(start)) / Double(length)
    }

    /// A part of another length; a moment in it stays where it is.
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
