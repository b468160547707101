/// The size of a screen or a part of it, in columns and rows.
public struct Size: Sendable, Hashable {
    /// The number of columns.
    public var columns: Int
    /// The number of rows.
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

/// A part of a screen.
struct Rectangle: Sendable, Hashable {
    var column: Int
    var row: Int
    var size: Size

    func contains(_ position: Position) -> Bool {
        position.column >= column && position.column < column + size.columns
            && position.row >= row && position.row < row + size.rows
    }

    /// The area that both rectangles cover.
    func intersection(_ other: Rectangle) -> Rectangle {
        let left = max(column, other.column)
        let top = max(row, other.row)
        let right = min(column + size.columns, other.column + other.size.columns)
        let bottom = min(row + size.rows, other.row + other.size.rows)
        return Rectangle(
            column: left, row: top, size: Size(columns: right - left, rows: bottom - top))
    }
}
