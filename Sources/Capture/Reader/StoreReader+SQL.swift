public import ProxydCaptureModel

/// SQL statements written by users.
extension StoreReader: SQLReading {
    /// Runs one read-only statement and passes its rows on until `onRow` returns false. The column
    /// names are passed on first, exactly once, even if there are no rows.
    ///
    /// May take any amount of time, unless a `ReadCancellation` ends it; while it runs the
    /// write-ahead log cannot be truncated. Throws `.notPermitted` for a statement that would
    /// write, attach a database or change settings.
    public func sql(
        _ text: String, onColumns: ([String]) throws(StoreError) -> Void,
        onRow: ([SQLValue]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let version = try read { try SchemaMigrator.version(of: $0, path: path) }
        let statement = try ReadOnlyStatement(
            path: path, setUp: StoreReader.sqlSetUp(version: version), text)
        try onColumns(statement.columnNames)
        try statement.takeRows(while: onRow)
    }

    private static func sqlSetUp(version: Int) -> String {
        """
        PRAGMA temp_store = MEMORY;
        \(Schema.temporaryParts(after: version));
        PRAGMA query_only = ON;
        PRAGMA trusted_schema = OFF;
        """
    }
}
