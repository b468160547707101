internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The state of the list when it shows the visible rows as bars on a common time axis.
struct Waterfall: Sendable {
    /// A row as it was when its timeline was read.
    struct Entry: Sendable {
        let row: ExchangeRow
        let timeline: Timeline?
        var holds: [AppliedRule.Hold] = []
    }

    struct News: Sendable { let entries: [ExchangeID: Entry] }

    static let slot = "timelines"

    private(set) var entries: [ExchangeID: Entry] = [:]
    private var state = State.idle
    /// The period the user chose, or nil if it follows from `isWhole`.
    private var chosen: TimeSpan?
    /// Whether outliers are shown to their ends, too.
    private var isWhole = false

    private enum State: Sendable {
        case idle, reading
        /// Reading failed; it is retried when something changes.
        case failed
    }

    func span(_ rows: ArraySlice<ExchangeRow>, now: Int64) -> TimeSpan {
        chosen ?? (isWhole ? TimeSpan(of: rows, now: now) : TimeSpan(mostOf: rows, now: now))
    }

    /// Whether outliers are left out of the period that is shown.
    func isClipped(_ rows: ArraySlice<ExchangeRow>, now: Int64) -> Bool {
        guard chosen == nil, !isWhole else { return false }
        return TimeSpan(of: rows, now: now) != TimeSpan(mostOf: rows, now: now)
    }

    // MARK: Zoom

    /// Shows the period of most visible rows, or of all if that is shown already.
    mutating func fit() {
        if chosen == nil { isWhole.toggle() }
        chosen = nil
    }

    /// Scales the period; the moment keeps its position.
    mutating func zoom(
        by factor: Double, around moment: Int64?, _ rows: ArraySlice<ExchangeRow>, now: Int64
    ) {
        chosen = span(rows, now: now).scaled(by: factor, around: moment)
    }

    mutating func pan(by share: Double, _ rows: ArraySlice<ExchangeRow>, now: Int64) {
        chosen = span(rows, now: now).moved(by: share)
    }

    /// Moves the period so that the start of a row is visible.
    mutating func reveal(_ row: ExchangeRow?) {
        guard let row, let span = chosen, !span.contains(row.startedAtNs) else { return }
        chosen = TimeSpan(start: row.startedAtNs &- span.length / 10, length: span.length)
    }

    // MARK: Reading

    /// Reads the timelines of rows that are new or have changed.
    mutating func read(_ rows: ArraySlice<ExchangeRow>) -> Work<News>? {
        guard state == .idle, rows.contains(where: { entries[$0.id]?.row != $0 }) else {
            return nil
        }
        state = .reading
        let rows = Array(rows)
        return Work(Waterfall.slot, on: .details) { context in
            let timelines = try context.rows.timelines(rows.map(\.id))
            let entries = try rows.map { row in
                var entry = Entry(row: row, timeline: timelines[row.id])
                if row.heldNs != nil {
                    let exchange = try context.exchanges.exchange(row.id, bodyByteCountMax: 0)
                    entry.holds = exchange?.holds ?? []
                }
                return (row.id, entry)
            }
            return News(entries: Dictionary(entries, uniquingKeysWith: { $1 }))
        }
    }

    mutating func take(_ news: News) {
        state = .idle
        entries = news.entries
    }

    mutating func fail() { state = .failed }

    mutating func retry() {
        if state == .failed { state = .idle }
    }
}

/// The list as a waterfall: the same rows, with bars instead of columns.
extension ListScreen {
    mutating func performOnWaterfall(_ action: ActionID, _ context: Context) -> [Effect]? {
        if action == .showWaterfall {
            waterfall = waterfall == nil ? Waterfall() : nil
            return []
        }
        guard waterfall != nil else { return nil }
        let (rows, now) = (window.visible, context.now)
        let moment = selectedRow?.startedAtNs
        switch action {
        case .zoomIn: waterfall?.zoom(by: 0.5, around: moment, rows, now: now)
        case .zoomOut: waterfall?.zoom(by: 2, around: moment, rows, now: now)
        case .zoomFit: waterfall?.fit()
        case .earlier: waterfall?.pan(by: -0.25, rows, now: now)
        case .later: waterfall?.pan(by: 0.25, rows, now: now)
        default: return nil
        }
        return []
    }

    mutating func readTimelines() -> [Effect] {
        let rows = window.visible
        guard let work = waterfall?.read(rows) else { return [] }
        return [.work(work.map { .timelines($0) })]
    }
}

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
        let ends = parts.map { $0.start.addingClamped(min($0.length, longest)) }
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
        let (enough, isOver) = best.length.multipliedReportingOverflow(by: TimeSpan.outlierFactor)
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
    func share(of moment: Int64) -> Double { (Double(moment) - Double(start)) / Double(length) }

    /// Scales the span; `moment` keeps its position.
    func scaled(by factor: Double, around moment: Int64?) -> TimeSpan {
        let share = moment.map { max(0, min(1, self.share(of: $0))) } ?? 0.5
        let scaled = TimeSpan(start: start, length: Int64(min(Double(length) * factor, 1e18)))
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
}
