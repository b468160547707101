internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The state of the list when it shows the visible rows as bars on a common time axis.
struct Waterfall: Sendable {
    /// A row as it was when its timeline was read.
    struct Entry: Sendable {
        let row: ExchangeRow
        let timeline: Timeline?
        /// When its messages were held.
        var holds: [AppliedRule.Hold] = []
    }

    /// The timelines that were read.
    struct News: Sendable {
        let entries: [ExchangeID: Entry]
    }

    /// The slot of the work that reads timelines.
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

    /// The period that is shown.
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
        chosen = TimeSpan(
            start: row.startedAtNs &- span.length / 10, length: span.length)
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
