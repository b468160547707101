internal import ProxydCaptureModel

/// Statements that insert 1, 2, … rows into a table at once: one statement for three rows costs a
/// third less than three.
struct InsertStatements {
    /// Rows that are inserted at once, at most.
    static let rowCountMax = 8

    /// The columns of a row, and so how far the parameters of two rows are apart.
    let columnCount: Int32
    private let statements: [SQLiteStatement]

    /// Prepares them, `insertion` being what stands before VALUES; each has a parameter for each
    /// column of each row, row by row.
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

    /// Calls with each group of rows that are inserted at once, until all are.
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

    /// What stands before the parameters of a row, the first being row 0.
    func offset(row: Int) -> Int32 { Int32(row) * columnCount }
}
