internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// What the list knows of its rows in view when it shows them as bars on one time axis.
struct Waterfall: Sendable {
    /// A row as it was when its moments were read.
    struct Entry: Sendable {
        let row: ExchangeRow
        let timeline: Timeline?
    }

    /// What was read of some rows.
    struct News: Sendable {
        let entries: [ExchangeID: Entry]
    }

    /// The name of the work that reads.
    static let slot = "timelines"

    private(set) var entries: [ExchangeID: Entry] = [:]
    private var state = State.idle
    /// The part of time that was chosen; nil where `isWhole` says it.
    private var chosen: TimeSpan?
    /// Whether rows far from the others are shown to their end, too.
    private var isWhole = false

    private enum State: Sendable {
        case idle, reading
        /// Reading failed; it is tried again when something changes.
        case failed
    }

    /// The part of time that is shown.
    func span(_ rows: ArraySlice<ExchangeRow>, now: Int64) -> TimeSpan {
        chosen ?? (isWhole ? TimeSpan(of: rows, now: now) : TimeSpan(mostOf: rows, now: now))
    }

    /// Whether rows were left out of what is shown because they are far from the others.
    func isClipped(_ rows: ArraySlice<ExchangeRow>, now: Int64) -> Bool {
        guard chosen == nil, !isWhole else { return false }
        return TimeSpan(of: rows, now: now) != TimeSpan(mostOf: rows, now: now)
    }

    // MARK: Zoom

    /// Shows the time of the rows in view: of most of them, or of all where that is shown already.
    mutating func fit() {
        if chosen == nil { isWhole.toggle() }
        chosen = nil
    }

    /// Shows a multiple of the time; the moment stays where it is.
    mutating func zoom(
        by factor: Double, around moment: Int64?, _ rows: ArraySlice<ExchangeRow>, now: Int64
    ) {
        chosen = span(rows, now: now).scaled(by: factor, around: moment)
    }

    mutating func pan(by share: Double, _ rows: ArraySlice<ExchangeRow>, now: Int64) {
        chosen = span(rows, now: now).moved(by: share)
    }

    /// Moves the part of time so that a row's beginning is seen.
    mutating func reveal(_ row: ExchangeRow?) {
        guard let row, let span = chosen, !span.contains(row.startedAtNs) else { return }
        chosen = TimeSpan(
            start: row.startedAtNs &- span.length / 10, length: span.length)
    }

    // MARK: Reading

    /// Reads the moments of rows that are new or have changed.
    mutating func read(_ rows: ArraySlice<ExchangeRow>) -> Work<News>? {
        guard state == .idle, rows.contains(where: { entries[$0.id]?.row != $0 }) else {
            return nil
        }
        state = .reading
        let rows = Array(rows)
        return Work(Waterfall.slot, on: .details) { context in
            let timelines = try context.rows.timelines(rows.map(\.id))
            let entries = rows.map { ($0.id, Entry(row: $0, timeline: timelines[$0.id])) }
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
