internal import ProxydPresentation
internal import ProxydTerminalText

/// The contents of the terminal: a grid of cells, and the position of the cursor.
struct Screen: Sendable, Hashable {
    let size: Size
    /// The cells row by row.
    private(set) var cells: [Cell]
    /// The position of the cursor, or nil if it is hidden.
    var cursor: Position?

    init(_ size: Size) {
        self.size = size
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    static func drawn(_ size: Size, _ draw: (Canvas) -> Void) -> Screen {
        let sheet = Sheet(Screen(size))
        draw(Canvas(sheet))
        return sheet.screen
    }

    subscript(column: Int, row: Int) -> Cell {
        get {
            guard let index = index(column, row) else { return .blank }
            return cells[index]
        }
        set {
            guard let index = index(column, row) else { return }
            cells[index] = newValue
        }
    }

    func row(_ row: Int) -> ArraySlice<Cell> {
        guard (0..<size.rows).contains(row) else { return [] }
        return cells[(row * size.columns)..<((row + 1) * size.columns)]
    }

    private func index(_ column: Int, _ row: Int) -> Int? {
        guard (0..<size.columns).contains(column), (0..<size.rows).contains(row) else { return nil }
        return row * size.columns + column
    }
}

/// One column of one row.
struct Cell: Sendable, Hashable {
    /// A character with its combining marks; empty for the second column of a wide one. Always safe
    /// to print: only `Canvas` creates cells.
    private(set) var character: String
    var style: Style

    static let blank = Cell(character: " ", style: .plain)

    /// Whether it is the second column of the character before it.
    var isContinuation: Bool { character.isEmpty }
}

/// The size of a screen or a part of it, in columns and rows.
public struct Size: Sendable, Hashable {
    public var columns: Int
    public var rows: Int

    /// Creates a size; negative values become 0.
    public init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}

/// A position in a canvas, relative to its upper left corner.
struct Position: Sendable, Hashable {
    var column: Int
    var row: Int
}

struct Rectangle: Sendable, Hashable {
    var column: Int
    var row: Int
    var size: Size

    func contains(_ position: Position) -> Bool {
        position.column >= column && position.column < column + size.columns
            && position.row >= row && position.row < row + size.rows
    }

    func intersection(_ other: Rectangle) -> Rectangle {
        let left = max(column, other.column)
        let top = max(row, other.row)
        let right = min(column + size.columns, other.column + other.size.columns)
        let bottom = min(row + size.rows, other.row + other.size.rows)
        return Rectangle(
            column: left, row: top, size: Size(columns: right - left, rows: bottom - top))
    }
}

enum Box {
    static func draw(_ title: String, into canvas: Canvas) {
        guard canvas.columns >= 2, canvas.rows >= 2 else { return }
        let style = Style(.dim)
        let line = String(repeating: "─", count: canvas.columns - 2)
        canvas.draw("┌\(line)┐", row: 0, style)
        canvas.draw("└\(line)┘", row: canvas.rows - 1, style)
        for row in 1..<(canvas.rows - 1) {
            canvas.draw("│", row: row, style)
            canvas.draw("│", column: canvas.columns - 1, row: row, style)
        }
        if !title.isEmpty {
            canvas.part(column: 2, columns: canvas.columns - 4)
                .draw(" \(title) ", row: 0, Style(.heading).adding(.bold))
        }
    }
}

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

    func part(column: Int = 0, row: Int = 0, columns: Int? = nil, rows: Int? = nil) -> Canvas {
        let wanted = Rectangle(
            column: frame.column + column, row: frame.row + row,
            size: Size(columns: columns ?? self.columns - column, rows: rows ?? self.rows - row))
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

    func fade() {
        for row in frame.row..<(frame.row + rows) {
            for column in frame.column..<(frame.column + columns) {
                sheet.screen[column, row].style.attributes.insert(.dim)
            }
        }
    }

    func placeCursor(column: Int, row: Int) {
        guard column >= 0, column < columns, row >= 0, row < rows else { return }
        sheet.screen.cursor = Position(column: frame.column + column, row: frame.row + row)
    }

    private func put(_ character: String, _ width: Int, _ column: Int, _ row: Int, _ style: Style) {
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

/// Screens as text, for tests and screenshots.
extension Screen {
    /// The rows without trailing spaces.
    var text: String {
        (0..<size.rows).map { row in
            var line = self.row(row).map(\.character).joined()
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// The rows with marks where the style changes: `«serverError»500«plain»`.
    var styledText: String {
        (0..<size.rows).map { row in
            var line = ""
            var style = Style.plain
            for cell in self.row(row) {
                if cell.style != style, !cell.isContinuation {
                    style = cell.style
                    line += "«\(style.mark)»"
                }
                line += cell.character
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}

extension Style {
    /// A short name, such as `bad+bold/selection`.
    var mark: String {
        var mark = "\(foreground)"
        if attributes.contains(.bold) { mark += "+bold" }
        if attributes.contains(.dim) { mark += "+dim" }
        if attributes.contains(.underline) { mark += "+underline" }
        if attributes.contains(.reverse) { mark += "+reverse" }
        if attributes.contains(.italic) { mark += "+italic" }
        if background != .plain { mark += "/\(background)" }
        return mark
    }
}
