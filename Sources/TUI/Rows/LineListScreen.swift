internal import ProxydPresentation

/// A screen with a list of lines that are all in memory: keys and the mouse move in it, and a click
/// on the selected line does what Enter does.
protocol LineListScreen: ScreenModel {
    var cursor: ListCursor { get set }
    /// The number of rows above the lines, and of those below.
    static var barCounts: (above: Int, below: Int) { get }

    /// Performs an action that is no movement.
    mutating func performOnLine(_ action: ActionID, _ context: Context) -> [Effect]
    /// Handles a click on the selected line.
    mutating func openLine(_ context: Context) -> [Effect]
}

extension LineListScreen {
    static var barCounts: (above: Int, below: Int) { (0, 0) }

    /// Adapts the cursor to the size of the screen.
    mutating func fit(_ context: Context) {
        let bars = Self.barCounts
        cursor.height = max(1, context.size.rows - bars.above - bars.below)
    }

    mutating func appear(_ context: Context) -> [Effect] {
        fit(context)
        return []
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        cursor.perform(action) ? [] : performOnLine(action, context)
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(var mouse) = event else { return nil }
        mouse.position.row -= Self.barCounts.above
        return cursor.use(mouse) == .again ? openLine(context) : []
    }

    mutating func openLine(_ context: Context) -> [Effect] { [] }
}

/// What screens with lines draw alike.
extension Canvas {
    /// Draws a bar: a line, clipped before the one at the right edge.
    func drawBar(_ left: StyledText, right: StyledText = StyledText()) {
        let column = max(0, columns - right.columnCount)
        part(columns: column).draw(left, row: 0)
        draw(right, column: column, row: 0)
        tint(row: 0, .bar)
    }

    /// Draws why there are no lines.
    func drawRemark(_ text: String, _ role: Style.Role = .dim) {
        draw(text, column: 2, row: 1, width: columns - 4, Style(role))
    }

    /// Draws the visible lines of a list, the selected one on a background.
    func drawLines(of cursor: ListCursor, _ draw: (_ line: Int, _ row: Int) -> Void) {
        for (row, line) in cursor.visible.enumerated() {
            draw(line, row)
            if line == cursor.selected { tint(row: row, .selection) }
        }
    }
}

/// A table on the screen: columns side by side, with one column of space between them.
struct Table<Row> {
    struct Column {
        let title: String
        let width: Int
        var isRight = false
        let cell: (Row) -> (String, Style)
    }

    /// Where the first column starts.
    var start = 0
    let columns: [Column]

    var width: Int { columns.reduce(0) { $0 + $1.width + 1 } }

    func drawHeadings(into canvas: Canvas) {
        draw(into: canvas, row: 0) { ($0.title, Style(.heading).adding(.bold)) }
        canvas.tint(row: 0, .bar)
    }

    func draw(_ content: Row, into canvas: Canvas, row: Int) {
        draw(into: canvas, row: row) { $0.cell(content) }
    }

    private func draw(into canvas: Canvas, row: Int, _ cell: (Column) -> (String, Style)) {
        var start = start
        for column in columns {
            let (text, style) = cell(column)
            canvas.draw(
                text, column: start, row: row, width: column.width, isRight: column.isRight, style)
            start += column.width + 1
        }
    }
}

extension String {
    /// The text with spaces after it, or before it, up to a number of characters.
    func padded(to width: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - count))
        return isRight ? blanks + self : self + blanks
    }
}
