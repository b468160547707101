internal import ProxydCaptureModel

/// How a reader uses the index file for one filter: attach once per connection, ask once per filter
/// and state of the store.
enum IndexPlan {
    /// Above this many proposed rows the store is read as it lies: looking up so many rows one by
    /// one costs more than it saves, and a limited listing finds common rows at once.
    static let candidateCountMax = 20_000

    /// Attaches the index file of a store to a connection that reads it. Nothing happens where
    /// there is none; call again later. Not inside a transaction.
    static func attach(to database: SQLiteConnection, storePath: String) {
        guard !isAttached(database) else { return }
        let uri = IndexFile.readOnlyURI(IndexFile.indexPath(besideStore: storePath))
        try? database.run("ATTACH DATABASE ? AS side", [.text(uri)])
    }

    /// The numbers that may pass a filter, ascending: none that passes is missing. Nil where the
    /// index file is missing, foreign, damaged or of no help. They are some 40,000 at most, wherever
    /// they lie, so that a reader need not go through the store in windows.
    ///
    /// Call it inside a transaction, behind nothing but `changeNumber`.
    static func candidates(for probes: [IndexProbe], in database: SQLiteConnection) -> [Int64]? {
        guard let through = try? indexedThrough(database),
            let probe = try? bestProbe(of: probes, database),
            let ids = try? ids(probe, beyond: through, database)
        else { return nil }
        return ids
    }

    /// What a probe proposes, and all that the index file does not have yet; nil where that is too
    /// much.
    private static func ids(
        _ probe: IndexProbe, beyond through: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> [Int64]? {
        let countMax = 2 * candidateCountMax
        let ids = try database.integers(
            """
            SELECT * FROM (\(probe.sql)) UNION ALL SELECT exchange_id FROM side.pending
            UNION ALL SELECT id FROM main.exchange WHERE id > ? LIMIT ?
            """, probe.arguments + [.integer(through), .integer(Int64(countMax) + 1)])
        guard ids.count <= countMax else { return nil }
        var last: Int64?
        return ids.sorted().filter { id in
            defer { last = id }
            return id != last
        }
    }

    /// A number that changes whenever another connection wrote the store; nil where there is no
    /// index file. What follows in the transaction sees the index file as it was no later than the
    /// store.
    static func changeNumber(in database: SQLiteConnection) throws(StoreError) -> Int64? {
        guard isAttached(database) else { return nil }
        // The first look at a file is the moment it is seen at.
        _ = try? database.integer("PRAGMA side.user_version")
        return try database.integer("PRAGMA main.data_version")
    }

    static func isAttached(_ database: SQLiteConnection) -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM pragma_database_list WHERE name = 'side')"
        return (try? database.isTrue(sql)) ?? false
    }

    /// How far the index goes; nil where it is not this store's.
    static func indexedThrough(_ database: SQLiteConnection) throws(StoreError) -> Int64? {
        let version = try database.integer("PRAGMA side.user_version")
        guard version == IndexSchema.version,
            try database.isTrue(IndexSchema.belongsCondition(schema: "side", store: "main"))
        else { return nil }
        return try database.integer("SELECT indexed_through FROM side.state")
    }

    /// The probe that proposes the fewest rows; nil where all propose too many.
    private static func bestProbe(
        of probes: [IndexProbe], _ database: SQLiteConnection
    ) throws(StoreError) -> IndexProbe? {
        var best: (count: Int64, probe: IndexProbe)?
        for probe in probes {
            let limit = best?.count ?? Int64(candidateCountMax) + 1
            let count = try database.integer(
                "SELECT count(*) FROM (\(probe.sql) LIMIT ?)",
                probe.arguments + [.integer(limit)])
            if let count, count < limit { best = (count, probe) }
        }
        return best?.probe
    }
}
