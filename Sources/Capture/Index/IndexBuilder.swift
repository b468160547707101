internal import GRDB
internal import ProxydCaptureModel

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
    private var writer: IndexWriter?
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

    /// Indexes the next `runRowCount` exchanges in one transaction, or fewer that have many
    /// parameters, where so many have come of age: large runs keep the index's pages together.
    /// Returns whether it did, and so whether to call again at once.
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
        writer = nil
        try? queue?.close()
        queue = nil
    }

    /// Deletes the file.
    func discard() { SideFile.remove([path]) { close() } }

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
        SideFile.remove([path])
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
        discard()
        indexedThrough = 0
    }

    // MARK: Indexing

    /// Adds a run and remembers how far it goes.
    private func index(_ count: Int, through last: Int64, _ database: Database) throws -> Bool {
        let from = try IndexBuilder.indexedThrough(database)
        indexedThrough = from
        let wanted = try Int64.fetchOne(
            database,
            sql: """
                SELECT id FROM store.exchange WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?
                """, arguments: [from, last, max(0, count - 1)])
        guard let wanted else { return false }
        let writer = try openWriter(database)
        let through = try writer.end(from: from, through: wanted)
        let added = try writer.add(from: from, through: through)
        try database.execute(
            sql: """
                UPDATE main.state SET indexed_through = ?1, sample_id = ?1,
                  indexed_count = indexed_count + ?2,
                  sample_started_ns = (SELECT started_ns FROM store.exchange WHERE id = ?1)
                """, arguments: [through, added])
        indexedThrough = through
        return true
    }

    private func openWriter(_ database: Database) throws -> IndexWriter {
        if let writer { return writer }
        guard let handle = database.sqliteConnection else { throw StoreError.stopped }
        let opened = try IndexWriter(handle)
        writer = opened
        return opened
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
