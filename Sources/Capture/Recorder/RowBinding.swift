/// The parameters of one row in a statement that inserts several rows.
struct RowBinding {
    let statement: SQLiteStatement
    /// The number of parameters before this row's.
    var before: Int32 = 0
    /// The row's bytes; valid until the statement has run.
    let bytes: UnsafeRawBufferPointer

    /// Binds a number; nil is NULL.
    func bind(_ index: Int32, _ value: Int64?) { statement.bind(before + index, value) }

    /// Binds a text or bytes; NULL if the row has no value in the column.
    func bind(_ index: Int32, _ column: RecordedRow.Column, _ row: borrowing RecordedRow) {
        guard let range = row.range(column) else { return statement.bindNull(before + index) }
        statement.bind(
            before + index, UnsafeRawBufferPointer(rebasing: bytes[range]), isText: column.isText)
    }
}
