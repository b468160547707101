internal import ProxydCaptureModel

/// What one search file covers.
struct SearchExtent: Sendable, Hashable {
    /// The first and last exchange number it covers; empty if `throughID < firstID`.
    var firstID: Int64
    var throughID: Int64
    /// The number of exchanges examined and of bytes of text indexed.
    var indexedCount: Int64 = 0
    var textByteCount: Int64 = 0
    /// The start time of the exchange `throughID`, to recognize the store.
    var sampleStartedNs: Int64?

    /// The exchange numbers that a file can contain; others are damage.
    private static let exchangeIDs = 1..<Schema.ChunkKey.exchangeIDs.upperBound
    private static let sums: Range<Int64> = 0..<(1 << 48)

    /// Whether the next exchange goes into another file.
    func isFull(exchangeCountMax: Int64) -> Bool {
        textByteCount >= SearchSchema.textByteCountMax || indexedCount >= exchangeCountMax
    }

    /// Reads the extent of a file; nil if its layout differs, it is empty or its numbers are
    /// invalid.
    static func read(_ database: SQLiteConnection) throws(StoreError) -> SearchExtent? {
        guard try database.integer("PRAGMA user_version") == SearchSchema.version else {
            return nil
        }
        return try database.first(
            """
            SELECT first_id, through_id, indexed_count, text_byte_count, sample_started_ns
            FROM state
            """, [], extent) ?? nil
    }

    private static func extent(_ row: SQLiteRow) -> SearchExtent? {
        guard let first = row.integer(0), let through = row.integer(1),
            let count = row.integer(2), let byteCount = row.integer(3),
            exchangeIDs.contains(first), exchangeIDs.contains(through &+ 1),
            sums.contains(count), sums.contains(byteCount)
        else { return nil }
        return SearchExtent(
            firstID: first, throughID: through, indexedCount: count, textByteCount: byteCount,
            sampleStartedNs: row.integer(4))
    }

    /// Whether the file was built from this store: its last exchange has the same start time in
    /// both, and the store reaches at least as far.
    func belongs(to store: SQLiteConnection) throws(StoreError) -> Bool {
        try store.isTrue(
            """
            SELECT last_exchange_id >= ?1
              AND ifnull((SELECT started_ns FROM exchange WHERE id = ?1) = ?2, 1)
            FROM store_state
            """, [.integer(throughID), SQLValue(sampleStartedNs)])
    }

    /// Counts the exchanges of its range that are still in the store, up to a limit.
    func remainingCount(_ store: SQLiteConnection, countMax: Int64) throws(StoreError) -> Int64 {
        try store.integer(
            "SELECT count(*) FROM (SELECT 1 FROM exchange WHERE id BETWEEN ? AND ? LIMIT ?)",
            [.integer(firstID), .integer(throughID), .integer(countMax)]) ?? 0
    }
}
