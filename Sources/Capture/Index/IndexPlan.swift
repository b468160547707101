public import GRDB

/// How a reader uses the side file for one filter: attach once per connection, plan per query.
public enum IndexPlan {
    /// Above this many proposed rows the store is read as it lies: looking up so many rows one by
    /// one costs more than it saves, and a limited listing finds common rows at once.
    static let candidateCountMax = 20_000

    /// Attaches the side file of a store to a connection that reads it. Nothing happens where
    /// there is none; call again later. Not inside a transaction.
    public static func attach(to database: Database, storePath: String) {
        guard !isAttached(database) else { return }
        let uri = SideFile.readOnlyURI(SideFile.indexPath(besideStore: storePath))
        try? database.execute(sql: "ATTACH DATABASE ? AS side", arguments: [uri])
    }

    /// A condition that lets through the same rows of `exchange` faster; the given one where the
    /// side file is missing, foreign or of no help. An indexed one looks at some 40,000 rows at
    /// most, wherever they lie, so that a reader need not go through the store in windows.
    ///
    /// Call it inside the transaction of the query, before anything else reads: the side file
    /// must not be newer than what is read of the store. Should the query fail with it, the side
    /// file is damaged: the plain condition still works.
    public static func condition(
        for compiled: CompiledFilter, in database: Database
    ) -> (sql: String, arguments: StatementArguments, isIndexed: Bool) {
        let plain = (
            sql: compiled.sqlCondition, arguments: compiled.arguments, isIndexed: false
        )
        guard !compiled.probes.isEmpty, isAttached(database) else { return plain }
        guard let through = try? indexedThrough(database),
            let probe = try? bestProbe(of: compiled.probes, database)
        else { return plain }
        let sql = """
            (\(plain.sql)) AND exchange.id IN (\(probe.sql) \
            UNION ALL SELECT exchange_id FROM side.pending \
            UNION ALL SELECT id FROM main.exchange WHERE id > ?)
            """
        let arguments = StatementArguments(probe.arguments + [through.databaseValue])
        return (sql, plain.arguments + arguments, isIndexed: true)
    }

    static func isAttached(_ database: Database) -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM pragma_database_list WHERE name = 'side')"
        return (try? Bool.fetchOne(database, sql: sql)) ?? false
    }

    /// How far the index goes; nil where it is not this store's.
    static func indexedThrough(_ database: Database) throws -> Int64? {
        let version = try Int64.fetchOne(database, sql: "PRAGMA side.user_version")
        guard version == IndexSchema.version else { return nil }
        let belongs = try Bool.fetchOne(
            database, sql: IndexSchema.belongsCondition(schema: "side", store: "main"))
        guard belongs == true else { return nil }
        return try Int64.fetchOne(database, sql: "SELECT indexed_through FROM side.state")
    }

    /// The probe that proposes the fewest rows; nil where all propose too many.
    private static func bestProbe(
        of probes: [IndexProbe], _ database: Database
    ) throws -> IndexProbe? {
        var best: (count: Int, probe: IndexProbe)?
        for probe in probes {
            let limit = best?.count ?? candidateCountMax + 1
            let count = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM (\(probe.sql) LIMIT ?)",
                arguments: StatementArguments(probe.arguments + [limit.databaseValue]))
            if let count, count < limit { best = (count, probe) }
        }
        return best?.probe
    }
}
