internal import ProxydTerminalLayout
internal import ProxydPresentation
internal import ProxydTerminalText

/// What canvases draw on. Drawing happens on one thread, between two updates.
final class Sheet {
    var screen: Screen

    init(_ screen: Screen) { self.screen = screen }
}

/// A part of a screen to draw in: nothing gets out of it, and nothing gets into a cell that is not
/// safe to print.
struct Canvas {
    private let sheet: Sheet
    private let frame: Rectangle

    init(_ sheet: Sheet) {
        self.sheet = sheet
        frame = Rectangle(column: 0, row: 0, size: sheet.screen.size)
    }

    private init(_ sheet: Sheet, _ frame: Rectangle) {
        self.sheet = sheet
        self.frame = frame
    }

    var size: Size { frame.size }
    var columns: Int { frame.size.columns }
    var rows: Int { frame.size.rows }

    /// A part of it, cut where it would stand out.
    func part(column: Int = 0, row: Int = 0, columns: Int? = nil, rows: Int? = nil) -> Canvas {
        let wanted = Rectangle(
            column: frame.column + column, row: frame.row + row,
            size: Size(
                columns: columns ?? self.columns - column, rows: rows ?? self.rows - row))
        return Canvas(sheet, wanted.intersection(frame))
    }

    /// Writes a text from a column on; what does not fit is cut. Returns the column behind it.
    @discardableResult
    func draw(_ text: String, column: Int = 0, row: Int, _ style: Style = .plain) -> Int {
        guard row >= 0, row < rows else { return column }
        var column = column
        for piece in CellText(text) {
            guard column + piece.width <= columns else { break }
            if column >= 0 { put(piece.character, piece.width, column, row, style) }
            column += piece.width
        }
        return column
    }

    /// Writes a text into a number of columns: cut with `…`, on the left or right side of them.
    @discardableResult
    func draw(
        _ text: String, column: Int, row: Int, width: Int, isRight: Bool = false,
        _ style: Style = .plain
    ) -> Int {
        guard width > 0 else { return column }
        let fitted = TerminalText.fitted(TerminalText.sanitize(text), to: width)
        let start = isRight ? column + width - TerminalText.displayWidth(fitted) : column
        draw(fitted, column: start, row: row, style)
        return column + width
    }

    /// Writes pieces of text behind each other. Returns the column behind them.
    @discardableResult
    func draw(_ line: StyledText, column: Int = 0, row: Int, isSelected: Bool = false) -> Int {
        line.runs.reduce(column) { column, run in
            draw(
                run.text, column: column, row: row,
                isSelected ? run.style.on(.selection) : run.style)
        }
    }

    /// Writes pieces of text behind each other; where they are cut, the last column says so.
    func drawFitted(_ line: StyledText, row: Int) {
        draw(line, row: row)
        guard line.columnCount > columns, columns > 0, let style = line.runs.last?.style else {
            return
        }
        draw("…", column: columns - 1, row: row, style)
    }

    /// Fills it with a character of one column.
    func fill(_ character: Character = " ", _ style: Style = .plain) {
        let pieces = CellText(String(character))
        guard let piece = pieces.first(where: { $0.width == 1 }) else { return }
        for row in 0..<rows {
            for column in 0..<columns { put(piece.character, 1, column, row, style) }
        }
    }

    /// Gives a row another background, whatever is on it.
    func tint(row: Int, _ background: Style.Role) {
        guard row >= 0, row < rows else { return }
        for column in frame.column..<(frame.column + columns) {
            sheet.screen[column, frame.row + row].style.background = background
        }
    }

    /// Makes all of it look as if it mattered less.
    func fade() {
        for row in frame.row..<(frame.row + rows) {
            for column in frame.column..<(frame.column + columns) {
                sheet.screen[column, row].style.attributes.insert(.dim)
            }
        }
    }

    /// Shows the cursor here.
    func placeCursor(column: Int, row: Int) {
        guard column >= 0, column < columns, row >= 0, row < rows else { return }
        sheet.screen.cursor = Position(column: frame.column + column, row: frame.row + row)
    }

    private func put(
        _ character: String, _ width: Int, _ column: Int, _ row: Int, _ style: Style
    ) {
        let column = frame.column + column
        let row = frame.row + row
        // Half of a wide character must not stay behind.
        if sheet.screen[column, row].isContinuation { blank(column - 1, row) }
        for next in column..<(column + width) where sheet.screen[next + 1, row].isContinuation {
            if next + 1 >= column + width { blank(next + 1, row) }
        }
        sheet.screen[column, row] = Cell(character: character, style: style)
        if width == 2 { sheet.screen[column + 1, row] = Cell(character: "", style: style) }
    }

    private func blank(_ column: Int, _ row: Int) {
        let style = sheet.screen[column, row].style
        sheet.screen[column, row] = Cell(character: " ", style: style)
    }
}
