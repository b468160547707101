internal import GRDB

/// Fills the side file behind the recorder. Confined to the recorder's thread, which calls `step`
/// when it has nothing better to do.
///
/// Nothing here throws: an index that cannot be built is missing, and filters look at every row.
final class IndexBuilder {
    /// Failures after which it gives up until it is made again.
    private static let failureCountMax = 3

    private let storePath: String
    private let directory: String
    private let lagCount: Int64
    private let path: String
    private var queue: DatabaseQueue?
    private var failureCount = 0

    /// Exchanges up to this number are in the index, or in its list of those still to come.
    private(set) var indexedThrough: Int64 = 0
    /// What went wrong last; nil where nothing did.
    private(set) var lastError: String?

    /// An index for the store at a path, in its directory. Opens nothing yet.
    init(
        storePath: String, directory: String, lagCount: Int64 = IndexSchema.lagCount
    ) {
        self.storePath = storePath
        self.directory = directory
        self.lagCount = lagCount
        path = SideFile.indexPath(besideStore: storePath)
    }

    /// Indexes the next `runRowCount` exchanges in one transaction, where so many have come of age:
    /// runs of a fixed size keep the index's pages together. Returns whether it did, and so whether
    /// to call again at once.
    func step(runRowCount: Int, lastExchangeID: Int64) -> Bool {
        guard failureCount < IndexBuilder.failureCountMax,
            lastExchangeID &- indexedThrough >= lagCount &+ Int64(clamping: runRowCount)
        else { return false }
        do {
            let queue = try open()
            let isIndexed = try queue.inTransactionReturning { database in
                try self.index(runRowCount, through: lastExchangeID &- self.lagCount, database)
            }
            failureCount = 0
            return isIndexed
        } catch {
            startOver(error)
            return false
        }
    }

    /// Notes exchanges stored with numbers that the index has already passed.
    func noteInserted(_ ids: some Sequence<Int64>) {
        let late = ids.filter { $0 <= indexedThrough }
        guard !late.isEmpty, let queue else { return }
        do {
            try queue.write { database in
                for id in late {
                    try database.execute(
                        sql: "INSERT OR IGNORE INTO main.pending VALUES (?)", arguments: [id])
                }
            }
        } catch { startOver(error) }
    }

    /// Closes the file; the next step opens it again.
    func close() {
        try? queue?.close()
        queue = nil
    }

    // MARK: Opening

    private func open() throws -> DatabaseQueue {
        if let queue { return queue }
        SideFile.removeOrphans(of: path)
        let opened = try connect()
        if try opened.read({ try IndexBuilder.isUsable($0) }) {
            queue = opened
            return opened
        }
        try opened.close()
        SideFile.remove(path)
        let fresh = try connect()
        queue = fresh
        return fresh
    }

    private func connect() throws -> DatabaseQueue {
        try PrivateFile.ensure(path, in: directory)
        let storeURI = SideFile.readOnlyURI(storePath)
        var configuration = Configuration()
        configuration.label = "proxyd.index"
        configuration.busyMode = .timeout(0.1)
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = NORMAL;
                    PRAGMA cache_size = -4096;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA wal_autocheckpoint = 2048;
                    PRAGMA journal_size_limit = 8388608;
                    """)
            try database.execute(sql: "ATTACH DATABASE ? AS store", arguments: [storeURI])
            try database.execute(
                sql: """
                    CREATE TEMP TABLE IF NOT EXISTS run (
                      exchange_id INTEGER PRIMARY KEY, host TEXT, status INTEGER,
                      duration_ns INTEGER, state INTEGER
                    )
                    """)
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { database in
            let isEmpty = try Bool.fetchOne(
                database, sql: "SELECT NOT EXISTS (SELECT 1 FROM main.sqlite_schema)")
            if isEmpty ?? true { try database.execute(sql: IndexSchema.tables) }
        }
        return queue
    }

    /// Whether the file has our layout, belongs to this store and is not mostly of exchanges that
    /// were deleted since.
    private static func isUsable(_ database: Database) throws -> Bool {
        let version = try Int64.fetchOne(database, sql: "PRAGMA main.user_version")
        guard version == IndexSchema.version else { return false }
        let belongs = try Bool.fetchOne(
            database, sql: IndexSchema.belongsCondition(schema: "main", store: "store"))
        let isMostlyThere = try Bool.fetchOne(
            database,
            sql: """
                SELECT s.indexed_count <= 2 * t.exchange_count + 100000
                FROM main.state s, store.store_state t
                """)
        return belongs == true && isMostlyThere == true
    }

    /// After an error the file is suspect, and making it anew is the cure for everything but a
    /// full disk, which the next attempts will meet again and give up.
    private func startOver(_ error: any Error) {
        failureCount += 1
        lastError = "\((error as? DatabaseError)?.message ?? "\(error)")"
        close()
        SideFile.remove(path)
        indexedThrough = 0
    }

    // MARK: Indexing

    /// Chooses a run, adds it and remembers how far it goes.
    private func index(_ count: Int, through last: Int64, _ database: Database) throws -> Bool {
        let from = try IndexBuilder.indexedThrough(database)
        indexedThrough = from
        let through = try Int64.fetchOne(
            database,
            sql: "SELECT id FROM store.exchange WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?",
            arguments: [from, max(0, count - 1)])
        guard let through, through <= last else { return false }
        try chooseRun(from: from, through: through, database)
        for statement in IndexSchema.insertions { try database.run(statement) }
        for statement in IndexSchema.parameterInsertions { try database.run(statement, [from]) }
        try database.run(
            "DELETE FROM main.pending WHERE exchange_id IN (SELECT exchange_id FROM temp.run)")
        try database.run(
            """
            UPDATE main.state SET indexed_through = ?1, sample_id = ?1,
              indexed_count = indexed_count + (SELECT count(*) FROM temp.run),
              sample_started_ns = (SELECT started_ns FROM store.exchange WHERE id = ?1)
            """, [through])
        indexedThrough = through
        return true
    }

    /// Fills `run` with those of the pending ones that have ended or are gone, and the next ones
    /// that have ended, each read once; those that have not become pending.
    private func chooseRun(from: Int64, through: Int64, _ database: Database) throws {
        try database.run("DELETE FROM temp.run")
        try database.run(
            """
            INSERT INTO temp.run SELECT p.exchange_id, e.host, e.status, e.duration_ns, e.state
              FROM main.pending p LEFT JOIN store.exchange e ON e.id = p.exchange_id
              WHERE e.state IS NULL OR e.state <> 0
            """)
        try database.run(
            """
            INSERT OR IGNORE INTO temp.run SELECT id, host, status, duration_ns, state
              FROM store.exchange WHERE id > ? AND id <= ?
            """, [from, through])
        try database.run(
            """
            INSERT OR IGNORE INTO main.pending SELECT exchange_id FROM temp.run WHERE state = 0
            """)
        try database.run("DELETE FROM temp.run WHERE state = 0")
    }

    private static func indexedThrough(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT indexed_through FROM main.state") ?? 0
    }
}

extension DatabaseQueue {
    /// Runs a body in one transaction that takes the write lock at once.
    fileprivate func inTransactionReturning<Value>(
        _ body: (Database) throws -> Value
    ) throws -> Value {
        try writeWithoutTransaction { database in
            var value: Value?
            try database.inTransaction(.immediate) {
                value = try body(database)
                return .commit
            }
            guard let value else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
            return value
        }
    }
}

extension Database {
    /// Runs a statement that will be used often.
    fileprivate func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
