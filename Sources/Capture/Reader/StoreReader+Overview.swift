public import ProxydCaptureModel

/// Cheap queries that a viewer repeats often.
extension StoreReader {
    /// How many of the newest rows completion values are taken from.
    private static let sampleCount: Int64 = 3_000
    private static let valueCountMax = 200

    /// Returns a number that changes whenever another connection writes to the store.
    public func changeNumber() throws(StoreError) -> Int64 {
        try readNewest { try $0.integer("PRAGMA data_version") ?? 0 }
    }

    /// Returns the values of a column in the newest rows, most frequent first; for hosts, all
    /// values if there is an index file.
    public func values(of column: SortColumn) throws(StoreError) -> [String] {
        try attachIndex()
        return try read { database in
            var values = try database.texts(
                """
                SELECT CAST(value AS TEXT) FROM (
                  SELECT \(column.expression) AS value FROM exchange
                  WHERE exchange.id > (SELECT max(id) FROM exchange) - ?)
                WHERE value IS NOT NULL GROUP BY value ORDER BY count(*) DESC, value LIMIT ?
                """,
                [.integer(StoreReader.sampleCount), .integer(Int64(StoreReader.valueCountMax))])
            if column == .host, values.count < StoreReader.valueCountMax {
                values += try StoreReader.indexedHosts(database).filter { !values.contains($0) }
            }
            return values
        }
    }

    private static func indexedHosts(_ database: SQLiteConnection) throws -> [String] {
        guard IndexPlan.isAttached(database), try IndexPlan.indexedThrough(database) != nil else {
            return []
        }
        return try database.texts(
            """
            \(IndexSchema.hostHops)
            SELECT CAST(host AS TEXT) FROM hop WHERE host IS NOT NULL LIMIT ?
            """, [.integer(Int64(valueCountMax))])
    }
}
