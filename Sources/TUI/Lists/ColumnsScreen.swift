internal import ProxydPresentation

/// Switches the columns of the list on and off, and reorders them.
struct ColumnsScreen: ScreenModel {
    typealias News = Never
    typealias Answer = ColumnChoice

    let title = "Columns"
    let places: Set<Action.Place> = [.everywhere, .moving, .columns]
    let presentation = Presentation.box(
        Size(columns: 60, rows: ListColumns.Column.allCases.count))
    private(set) var choice: ColumnChoice
    private(set) var cursor = ListCursor()
    /// The width of the list in columns.
    private let width: Int

    init(_ choice: ColumnChoice, width: Int) {
        self.choice = choice
        self.width = width
        cursor.count = choice.entries.count
    }

    mutating func appear(_ context: Context) -> [Effect] {
        cursor.height = max(1, context.size.rows)
        return []
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        if cursor.perform(action) { return [] }
        switch action {
        case .keepColumns: return [.answer(choice)]
        case .switchColumn: return flip()
        case .moveColumnUp: cursor.select(choice.move(from: cursor.selected, by: -1))
        case .moveColumnDown: cursor.select(choice.move(from: cursor.selected, by: 1))
        case .standardColumns: choice = .standard
        default: break
        }
        return []
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(let mouse) = event else { return nil }
        return cursor.use(mouse) == .again ? flip() : []
    }

    /// The columns that fit in the list.
    private var shown: Set<ListColumns.Column> {
        Set(ListColumns(width: width, choice: choice).places.map(\.column))
    }

    private mutating func flip() -> [Effect] {
        let entry = choice.entries[cursor.selected]
        guard entry.isOptional else {
            return [.notify(.information("the path is always shown: it takes the remaining width"))]
        }
        let isOn = entry.wish == .always || shown.contains(entry.column)
        choice.wish(isOn ? .never : .always, at: cursor.selected)
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        let shown = shown
        for (row, line) in cursor.visible.enumerated() {
            let entry = choice.entries[line]
            let isShown = shown.contains(entry.column)
            let mark = isShown ? "[x]" : entry.wish == .never ? "[ ]" : "[-]"
            canvas.draw(mark, column: 1, row: row, Style(isShown ? .good : .dim))
            canvas.draw(
                entry.column.rawValue, column: 5, row: row, width: 9,
                isShown ? Style(.accent) : Style(.dim))
            let words = isShown || entry.wish == .never ? entry.column.meaning : "no room"
            canvas.draw(
                words, column: 15, row: row, width: canvas.columns - 16,
                isShown ? .plain : Style(.dim))
            if line == cursor.selected { canvas.tint(row: row, .selection) }
        }
    }
}
