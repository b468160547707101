internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The rows around the visible part of a list of any length: pages are added at one end and dropped
/// at the other.
struct RowWindow<Row: Identifiable & Sendable>: Sendable {
    /// The maximum number of loaded rows.
    static var rowCountMax: Int { 1_200 }

    private(set) var rows: [Row] = []
    /// Whether there is nothing before the first row or after the last one.
    private(set) var isStart = true
    private(set) var isEnd = true
    /// The indexes of the selected row and the topmost one in `rows`.
    private(set) var selected = 0
    private(set) var top = 0
    /// The number of visible rows.
    var height = 1 { didSet { reveal() } }

    var isEmpty: Bool { rows.isEmpty }
    var selectedRow: Row? { rows.indices.contains(selected) ? rows[selected] : nil }
    var visible: ArraySlice<Row> { rows.dropFirst(top).prefix(height) }

    /// The number of rows to read at a time.
    var pageCount: Int { max(120, 3 * height) }
    /// Whether the visible part is near the start and there are more rows before it.
    var wantsBefore: Bool { !isStart && top < margin }
    var wantsAfter: Bool { !isEnd && rows.count - top - height < margin }

    private var margin: Int { 2 * height }

    // MARK: Moving

    mutating func move(by count: Int) {
        selected = max(0, min(rows.count - 1, selected + count))
        reveal()
    }

    /// Scrolls; the selection stays visible.
    mutating func scroll(by count: Int) {
        top = max(0, min(rows.count - height, top + count))
        selected = max(top, min(selected, top + height - 1))
        reveal()
    }

    /// Selects the row at a position on the screen; returns false if there is none.
    mutating func select(visible offset: Int) -> Bool {
        guard offset >= 0, offset < height, rows.indices.contains(top + offset) else {
            return false
        }
        selected = top + offset
        return true
    }

    mutating func select(_ id: Row.ID) {
        guard let index = rows.firstIndex(where: { $0.id == id }) else { return }
        selected = index
        reveal()
    }

    mutating func selectFirst() { move(by: -rows.count) }
    mutating func selectLast() { move(by: rows.count) }

    private mutating func reveal() {
        selected = max(0, min(rows.count - 1, selected))
        if selected < top { top = selected }
        if selected >= top + height { top = selected - height + 1 }
        top = max(0, min(top, rows.count - height))
    }

    // MARK: Pages

    /// Starts over with other rows.
    mutating func replace(_ rows: [Row], isStart: Bool, isEnd: Bool) {
        self.rows = rows
        self.isStart = isStart
        self.isEnd = isEnd
        top = 0
        selected = 0
        reveal()
    }

    /// Inserts rows before the first one.
    mutating func prepend(_ added: [Row], isStart: Bool) {
        self.isStart = isStart
        rows.insert(contentsOf: added, at: 0)
        selected += added.count
        top += added.count
        if rows.count > RowWindow.rowCountMax {
            rows.removeLast(rows.count - RowWindow.rowCountMax)
            isEnd = false
        }
        reveal()
    }

    /// Appends rows after the last one.
    mutating func append(_ added: [Row], isEnd: Bool) {
        self.isEnd = isEnd
        rows += added
        dropFirstRows()
    }

    /// Drops rows far after the visible part if too many are loaded.
    mutating func dropLastRows() {
        let excess = rows.count - RowWindow.rowCountMax
        let count = min(excess, rows.count - max(top + height, selected + 1) - height)
        guard count > 0 else { return }
        rows.removeLast(count)
        isEnd = false
    }

    /// Scrolls so that the selected row is a number of rows below the top.
    mutating func place(selectedAt row: Int) {
        top = selected - max(0, min(row, height - 1))
        reveal()
    }

    /// Replaces rows with newer states of them.
    mutating func update(_ newer: [Row]) {
        let states = Dictionary(newer.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for index in rows.indices {
            if let state = states[rows[index].id] { rows[index] = state }
        }
    }

    /// Removes rows that no longer exist.
    mutating func remove(_ ids: Set<Row.ID>) {
        guard !ids.isEmpty else { return }
        selected -= rows[..<min(selected, rows.count)].count { ids.contains($0.id) }
        top -= rows[..<min(top, rows.count)].count { ids.contains($0.id) }
        rows.removeAll { ids.contains($0.id) }
        reveal()
    }

    private mutating func dropFirstRows() {
        let excess = rows.count - RowWindow.rowCountMax
        // The visible rows are kept.
        let count = min(excess, max(0, min(top, selected) - height))
        if count > 0 {
            rows.removeFirst(count)
            selected -= count
            top -= count
            isStart = false
        }
        reveal()
    }
}

extension RowWindow where Row == ExchangeRow {
    /// Replaces all rows above a number with those now in the store: at the end in recording order,
    /// at the start in reverse order.
    mutating func replaceNewest(
        above id: ExchangeID, by newest: [ExchangeRow], isDescending: Bool, isComplete: Bool
    ) {
        let chosen = selectedRow?.id
        let distance = selected - top
        if isDescending {
            let kept = rows.drop { $0.id > id }
            rows = newest.reversed() + kept
            if !isComplete { isStart = false }
        } else {
            let kept = rows.prefix { $0.id <= id }
            rows = kept + newest
            if !isComplete { isEnd = false }
        }
        if let chosen, let index = rows.firstIndex(where: { $0.id == chosen }) {
            selected = index
            top = index - distance
        }
        if isDescending, rows.count > RowWindow.rowCountMax {
            rows.removeLast(rows.count - RowWindow.rowCountMax)
            isEnd = false
        }
        if isDescending { reveal() } else { dropFirstRows() }
    }
}

/// Counts the rows that arrived since the newest one was last visible.
struct UnseenRows: Sendable {
    /// The highest number and the count of rows then, or nil if they were unknown.
    private var lastID: Int64?
    private var count: Int64?

    /// The newest row is visible.
    mutating func see(lastID: Int64?, count: Int64?) {
        self.lastID = lastID
        self.count = count
    }

    /// Another filter's rows are counted from now on.
    mutating func forgetCount() { count = nil }

    /// Marks values that were unknown then as seen now.
    mutating func learn(lastID: Int64?, count: Int64?) {
        if self.lastID == nil { self.lastID = lastID }
        if self.count == nil { self.count = count }
    }

    /// Exchange numbers are consecutive, in a local store; otherwise, and with a filter, rows have
    /// to be counted.
    func newCount(lastID: Int64?, count: Int64?, isCounted: Bool) -> Int64 {
        let (now, then) = isCounted ? (count, self.count) : (lastID, self.lastID)
        guard let now, let then else { return 0 }
        return max(0, now.subtractingReportingOverflow(then).partialValue)
    }
}

/// Decides when a slow count is repeated because the store changed: soon after, but not so often
/// that it keeps a processor busy.
struct RecountPace: Sendable {
    /// The minimum time between two counts in nanoseconds.
    private static let pauseNs: Int64 = 1_000_000_000
    /// The minimum pause after a count, as a multiple of its duration.
    private static let share: Int64 = 10

    private var since: Int64 = 0
    private var nextAt: Int64 = 0

    /// Counting starts.
    mutating func begin(_ now: Int64) { since = now }

    /// Counting ended.
    mutating func end(_ now: Int64) {
        let took = max(0, now &- since)
        nextAt = now &+ max(RecountPace.pauseNs, RecountPace.share &* took)
    }

    /// Whether a check for changes is due; the next one is due some time later.
    mutating func isDue(_ now: Int64) -> Bool {
        guard now >= nextAt else { return false }
        nextAt = now &+ RecountPace.pauseNs
        return true
    }
}
