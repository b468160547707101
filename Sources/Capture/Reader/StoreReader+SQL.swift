public import ProxydCaptureModel

/// People's own SQL.
extension StoreReader {
    /// Runs one statement that only reads, and hands over its rows until `onRow` says false. The
    /// column names come first, once, even where there is no row.
    ///
    /// May take as long as it likes; while it runs the write-ahead log cannot be cut. Throws
    /// `.notPermitted` for anything that would write, attach or change settings.
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
