/// How large a screen or a part of it is, in columns and rows.
public struct Size: Sendable, Hashable {
    /// Columns.
    public var columns: Int
    /// Rows.
    public var rows: Int

    /// A size; nothing is smaller than nothing.
    public init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}

/// A place in a canvas, from its upper left corner.
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

    /// What lies in both.
    func intersection(_ other: Rectangle) -> Rectangle {
        let left = max(column, other.column)
        let top = max(row, other.row)
        let right = min(column + size.columns, other.column + other.size.columns)
        let bottom = min(row + size.rows, other.row + other.size.rows)
        return Rectangle(
            column: left, row: top, size: Size(columns: right - left, rows: bottom - top))
    }
}
