internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The rows around the visible part of any list: pages are added at one end, dropped at the other.
struct RowWindow<Row: Identifiable & Sendable>: Sendable {
    static var rowCountMax: Int { 1_200 }

    private(set) var rows: [Row] = []
    /// Whether there is nothing before the first row or after the last one.
    private(set) var isStart = true
    private(set) var isEnd = true
    /// The selected row and the visible ones, by their indexes in `rows`.
    private(set) var cursor = ListCursor()

    var isEmpty: Bool { rows.isEmpty }
    var height: Int {
        get { cursor.height }
        set { cursor.height = newValue }
    }
    var selectedRow: Row? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
    var visible: ArraySlice<Row> { rows[cursor.visible] }
    var isLastSelected: Bool { isEnd && cursor.selected == rows.count - 1 }

    var pageCount: Int { max(120, 3 * height) }
    /// Whether the visible part is near the start and there are more rows before it.
    var wantsBefore: Bool { !isStart && cursor.top < margin }
    var wantsAfter: Bool { !isEnd && rows.count - cursor.top - height < margin }

    private var margin: Int { 2 * height }

    // MARK: Moving

    mutating func move(_ movement: Movement) { cursor.move(movement) }

    mutating func scroll(by count: Int) { cursor.scroll(by: count) }

    mutating func use(_ mouse: MouseEvent) -> ListCursor.Press { cursor.use(mouse) }

    mutating func select(_ id: Row.ID) {
        if let index = rows.firstIndex(where: { $0.id == id }) { cursor.select(index) }
    }

    /// Scrolls so that the selected row is a number of rows below the top.
    mutating func place(selectedAt row: Int) {
        place(selected: cursor.selected, top: cursor.selected - max(0, min(row, height - 1)))
    }

    /// The number of rows between the top and the selection.
    var distance: Int { cursor.selected - cursor.top }

    private mutating func place(selected: Int, top: Int) {
        cursor.place(selected: selected, top: top, count: rows.count)
    }

    private mutating func shift(by count: Int) {
        place(selected: cursor.selected + count, top: cursor.top + count)
    }

    // MARK: Pages

    mutating func replace(_ rows: [Row], isStart: Bool, isEnd: Bool) {
        self.rows = rows
        self.isStart = isStart
        self.isEnd = isEnd
        place(selected: 0, top: 0)
    }

    mutating func prepend(_ added: [Row], isStart: Bool) {
        self.isStart = isStart
        rows.insert(contentsOf: added, at: 0)
        dropLast(rows.count - RowWindow.rowCountMax)
        shift(by: added.count)
    }

    mutating func append(_ added: [Row], isEnd: Bool) {
        self.isEnd = isEnd
        rows += added
        dropFirstRows()
    }

    /// Drops rows far after the visible part if too many are loaded.
    mutating func dropLastRows() {
        let excess = rows.count - RowWindow.rowCountMax
        dropLast(min(excess, rows.count - max(cursor.top + height, cursor.selected + 1) - height))
        shift(by: 0)
    }

    private mutating func dropLast(_ count: Int) {
        guard count > 0 else { return }
        rows.removeLast(count)
        isEnd = false
    }

    /// Replaces rows with newer states of them.
    mutating func update(_ newer: [Row]) {
        let states = Dictionary(newer.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for index in rows.indices {
            if let state = states[rows[index].id] { rows[index] = state }
        }
    }

    mutating func remove(_ ids: Set<Row.ID>) {
        guard !ids.isEmpty else { return }
        let (selected, top) = (cursor.selected, cursor.top)
        let above = rows.prefix(selected).count { ids.contains($0.id) }
        let aboveTop = rows.prefix(top).count { ids.contains($0.id) }
        rows.removeAll { ids.contains($0.id) }
        place(selected: selected - above, top: top - aboveTop)
    }

    private mutating func dropFirstRows() {
        let excess = rows.count - RowWindow.rowCountMax
        // The visible rows are kept.
        let count = max(0, min(excess, min(cursor.top, cursor.selected) - height))
        if count > 0 {
            rows.removeFirst(count)
            isStart = false
        }
        shift(by: -count)
    }
}

extension RowWindow where Row == ExchangeRow {
    /// Replaces all rows above a number with those now in the store: at the end in recording order,
    /// at the start in reverse order.
    mutating func replaceNewest(
        above id: ExchangeID, by newest: [ExchangeRow], isDescending: Bool, isComplete: Bool
    ) {
        let (chosen, distance) = (selectedRow?.id, distance)
        if isDescending {
            rows = newest.reversed() + rows.drop { $0.id > id }
            if !isComplete { isStart = false }
        } else {
            rows = rows.prefix { $0.id <= id } + newest
            if !isComplete { isEnd = false }
        }
        if let index = rows.firstIndex(where: { $0.id == chosen }) {
            place(selected: index, top: index - distance)
        }
        if isDescending {
            dropLast(rows.count - RowWindow.rowCountMax)
            shift(by: 0)
        } else {
            dropFirstRows()
        }
    }
}
