internal import ProxydCaptureModel

/// What one search file covers.
struct SearchExtent: Sendable, Hashable {
    /// The exchange numbers it covers, both in it; empty where `throughID < firstID`.
    var firstID: Int64
    var throughID: Int64
    /// Exchanges looked at, and the octets of text indexed.
    var indexedCount: Int64 = 0
    var textByteCount: Int64 = 0
    /// When the exchange `throughID` began, to know the store again.
    var sampleStartedNs: Int64?

    /// The exchange numbers and the sums that a file can have; others are damage.
    private static let exchangeIDs = 1..<Schema.ChunkKey.exchangeIDs.upperBound
    private static let sums: Range<Int64> = 0..<(1 << 48)

    /// Whether the next exchange goes into another file.
    func isFull(exchangeCountMax: Int64) -> Bool {
        textByteCount >= SearchSchema.textByteCountMax || indexedCount >= exchangeCountMax
    }

    /// What a file says; nil where it has another layout, nothing in it or numbers it cannot have.
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

    /// Whether it was made from this store: the last exchange began when it began, and the store
    /// has got at least as far.
    func belongs(to store: SQLiteConnection) throws(StoreError) -> Bool {
        try store.isTrue(
            """
            SELECT last_exchange_id >= ?1
              AND ifnull((SELECT started_ns FROM exchange WHERE id = ?1) = ?2, 1)
            FROM store_state
            """, [.integer(throughID), SQLValue(sampleStartedNs)])
    }

    /// Exchanges of its range that are still in the store, counted up to a limit.
    func remainingCount(_ store: SQLiteConnection, countMax: Int64) throws(StoreError) -> Int64 {
        try store.integer(
            "SELECT count(*) FROM (SELECT 1 FROM exchange WHERE id BETWEEN ? AND ? LIMIT ?)",
            [.integer(firstID), .integer(throughID), .integer(countMax)]) ?? 0
    }
}
