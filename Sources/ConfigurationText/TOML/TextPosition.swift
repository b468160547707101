/// A position in a text, counted as editors do.
public struct TextPosition: Sendable, Hashable, Comparable {
    /// The line number, counted from 1.
    public let line: Int
    /// The column, counted from 1 in Unicode scalars.
    public let column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The start of a text.
    public static let start = TextPosition(line: 1, column: 1)

    /// Whether one position is before another.
    public static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
