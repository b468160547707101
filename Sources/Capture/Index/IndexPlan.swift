internal import ProxydCaptureModel

/// How a reader uses the index file for one filter: attach it once per connection, query it once
/// per filter and state of the store.
enum IndexPlan {
    /// If more rows are proposed than this, the store is scanned instead: that many lookups cost
    /// more than they save, and a limited listing finds common rows immediately.
    static let candidateCountMax = 20_000

    /// Attaches the index file of a store to a connection that reads the store. Does nothing if
    /// there is no index file; call it again later. Must not be called inside a transaction.
    static func attach(to database: SQLiteConnection, storePath: String) {
        guard !isAttached(database) else { return }
        let uri = IndexFile.readOnlyURI(IndexFile.indexPath(besideStore: storePath))
        try? database.run("ATTACH DATABASE ? AS side", [.text(uri)])
    }

    /// The numbers of exchanges that may match a filter, ascending; no match is missing. Returns
    /// nil if the index file is missing, damaged, of another store or of no help. There are at most
    /// about 40,000, so that a reader need not go through the store in windows.
    ///
    /// Call it inside a transaction, before any query other than `changeNumber`.
    static func candidates(for probes: [IndexProbe], in database: SQLiteConnection) -> [Int64]? {
        guard let through = try? indexedThrough(database),
            let probe = try? bestProbe(of: probes, database),
            let ids = try? ids(probe, beyond: through, database)
        else { return nil }
        return ids
    }

    /// The exchanges that a probe proposes, plus all that are not in the index file yet, or nil if
    /// there are too many.
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

    /// A number that changes whenever another connection writes to the store, or nil if there is no
    /// index file. Later queries in the transaction see a state of the index file no newer than
    /// that of the store.
    static func changeNumber(in database: SQLiteConnection) throws(StoreError) -> Int64? {
        guard isAttached(database) else { return nil }
        // The first read of a file fixes the snapshot that the transaction sees.
        _ = try? database.integer("PRAGMA side.user_version")
        return try database.integer("PRAGMA main.data_version")
    }

    static func isAttached(_ database: SQLiteConnection) -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM pragma_database_list WHERE name = 'side')"
        return (try? database.isTrue(sql)) ?? false
    }

    /// The last indexed exchange number, or nil if the index file is not of this store.
    static func indexedThrough(_ database: SQLiteConnection) throws(StoreError) -> Int64? {
        let version = try database.integer("PRAGMA side.user_version")
        guard version == IndexSchema.version,
            try database.isTrue(IndexSchema.belongsCondition(schema: "side", store: "main"))
        else { return nil }
        return try database.integer("SELECT indexed_through FROM side.state")
    }

    /// The probe that proposes the fewest rows, or nil if every probe proposes too many.
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
