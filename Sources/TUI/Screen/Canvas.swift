internal import ProxydTerminalLayout
internal import ProxydPresentation
internal import ProxydTerminalText

/// The shared surface of canvases. Drawing happens on one thread, between two updates.
final class Sheet {
    var screen: Screen

    init(_ screen: Screen) { self.screen = screen }
}

/// A part of a screen to draw in: drawing is clipped to it, and only text that is safe to print
/// gets into cells.
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

    /// A part of the canvas, clipped to it.
    func part(column: Int = 0, row: Int = 0, columns: Int? = nil, rows: Int? = nil) -> Canvas {
        let wanted = Rectangle(
            column: frame.column + column, row: frame.row + row,
            size: Size(
                columns: columns ?? self.columns - column, rows: rows ?? self.rows - row))
        return Canvas(sheet, wanted.intersection(frame))
    }

    /// Draws a text from a column on, truncated to fit. Returns the column after it.
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

    /// Draws a text in a number of columns: truncated with `…`, aligned left or right.
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

    /// Draws runs of text one after another. Returns the column after them.
    @discardableResult
    func draw(_ line: StyledText, column: Int = 0, row: Int, isSelected: Bool = false) -> Int {
        line.runs.reduce(column) { column, run in
            draw(
                run.text, column: column, row: row,
                isSelected ? run.style.on(.selection) : run.style)
        }
    }

    /// Draws runs of text one after another; if they are truncated, the last column shows it.
    func drawFitted(_ line: StyledText, row: Int) {
        draw(line, row: row)
        guard line.columnCount > columns, columns > 0, let style = line.runs.last?.style else {
            return
        }
        draw("…", column: columns - 1, row: row, style)
    }

    /// Fills the canvas with a one-column character.
    func fill(_ character: Character = " ", _ style: Style = .plain) {
        let pieces = CellText(String(character))
        guard let piece = pieces.first(where: { $0.width == 1 }) else { return }
        for row in 0..<rows {
            for column in 0..<columns { put(piece.character, 1, column, row, style) }
        }
    }

    /// Changes the background of a row and keeps its contents.
    func tint(row: Int, _ background: Style.Role) {
        guard row >= 0, row < rows else { return }
        for column in frame.column..<(frame.column + columns) {
            sheet.screen[column, frame.row + row].style.background = background
        }
    }

    /// Dims the whole canvas.
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
        // No half of a wide character may remain.
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
