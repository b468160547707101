/// The parameters of a statement that a row's values go to, behind those of other rows.
struct RowBinding {
    let statement: SQLiteStatement
    /// How many parameters come before this row's.
    var before: Int32 = 0
    /// The row's octets, where they stay until the statement ran.
    let octets: UnsafeRawBufferPointer

    /// Binds a number; nil is NULL.
    func bind(_ index: Int32, _ value: Int64?) { statement.bind(before + index, value) }

    /// Binds a text or octets; NULL where the row has none.
    func bind(_ index: Int32, _ column: RecordedRow.Column, _ row: borrowing RecordedRow) {
        guard let range = row.range(column) else { return statement.bindNull(before + index) }
        statement.bind(
            before + index, UnsafeRawBufferPointer(rebasing: octets[range]), isText: column.isText)
    }
}
