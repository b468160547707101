/// Where the columns of the composing screen are.
struct ComposeLayout: Sendable {
    private static let nameColumn = 3
    private static let wideColumnCount = 120

    let valueColumn: Int
    /// Columns that a value has.
    let valueWidth: Int
    /// Where the octets of a parameter stand beside what they mean; nil where there is no room.
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
