internal import ProxydCaptureModel

/// Statements that insert 1, 2, … rows into a table: one statement for three rows costs a third
/// less than three statements.
struct InsertStatements {
    /// The maximum number of rows inserted by one statement.
    static let rowCountMax = 8

    /// The number of columns, and so the distance between the parameters of two rows.
    let columnCount: Int32
    private let statements: [SQLiteStatement]

    /// Prepares the statements; `insertion` is the text before VALUES. Each has one parameter per
    /// column and row, row by row.
    init(
        _ database: SQLiteConnection, _ insertion: String, columnCount: Int
    ) throws(StoreError) {
        let row = "(" + Array(repeating: "?", count: columnCount).joined(separator: ", ") + ")"
        var statements: [SQLiteStatement] = []
        for count in 1...InsertStatements.rowCountMax {
            let rows = Array(repeating: row, count: count).joined(separator: ", ")
            statements.append(try SQLiteStatement(database, "\(insertion) VALUES \(rows)"))
        }
        self.columnCount = Int32(columnCount)
        self.statements = statements
    }

    /// The statement for a number of rows, at least one.
    subscript(rowCount: Int) -> SQLiteStatement { statements[rowCount - 1] }

    /// Calls the closure for each group of rows inserted by one statement, until all are inserted.
    static func forEachGroup(
        of rowCount: Int, _ body: (Range<Int>) throws(StoreError) -> Void
    ) throws(StoreError) {
        var start = 0
        while start < rowCount {
            let end = min(rowCount, start + rowCountMax)
            try body(start..<end)
            start = end
        }
    }

    /// The number of parameters before a row, counting rows from 0.
    func offset(row: Int) -> Int32 { Int32(row) * columnCount }
}
