/// The columns of the compose screen.
struct ComposeLayout: Sendable {
    private static let nameColumn = 3
    private static let wideColumnCount = 120

    let valueColumn: Int
    /// The width of a value in columns.
    let valueWidth: Int
    /// The column for the raw bytes of a parameter beside its meaning, or nil if there is not
    /// enough space.
    let rawColumn: Int?

    init(_ size: Size) {
        let nameWidth = max(8, min(30, size.columns / 4))
        valueColumn = ComposeLayout.nameColumn + nameWidth + 2
        rawColumn = size.columns >= ComposeLayout.wideColumnCount ? size.columns * 2 / 3 : nil
        valueWidth = max(1, (rawColumn.map { $0 - 1 } ?? size.columns) - valueColumn)
    }

    var nameColumn: Int { ComposeLayout.nameColumn }
    var nameWidth: Int { valueColumn - nameColumn - 2 }
}
