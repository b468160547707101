internal import Capture

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
