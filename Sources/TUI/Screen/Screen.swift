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

    /// Creates a screen from a drawing closure.
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

    /// The cells of a row.
    func row(_ row: Int) -> ArraySlice<Cell> {
        guard (0..<size.rows).contains(row) else { return [] }
        return cells[(row * size.columns)..<((row + 1) * size.columns)]
    }

    private func index(_ column: Int, _ row: Int) -> Int? {
        guard (0..<size.columns).contains(column), (0..<size.rows).contains(row) else {
            return nil
        }
        return row * size.columns + column
    }
}
