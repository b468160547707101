internal import ProxydCaptureModel

/// Fills the index file in the background of recording. Confined to the recorder's thread, which
/// calls `step` when it is idle.
///
/// Nothing here throws: if the index cannot be built it is simply missing, and filters scan every
/// row.
final class IndexBuilder {
    /// After this many failures the builder gives up until a new one is created.
    private static let failureCountMax = 3

    private let storePath: String
    private let directory: String
    private let lagCount: Int64
    private let path: String
    private var database: SQLiteConnection?
    private var writer: IndexWriter?
    private var failureCount = 0

    /// Exchanges up to this number are in the index or in its list of pending ones.
    private(set) var indexedThrough: Int64 = 0
    /// The most recent error, or nil if there was none.
    private(set) var lastError: String?

    /// Creates an index for a store, in the store's directory. Does not open any file yet.
    init(
        storePath: String, directory: String, lagCount: Int64 = IndexSchema.lagCount
    ) {
        self.storePath = storePath
        self.directory = directory
        self.lagCount = lagCount
        path = IndexFile.indexPath(besideStore: storePath)
    }

    /// Indexes the next `runRowCount` exchanges in one transaction, or fewer if they have many
    /// parameters. Does nothing until that many exchanges are old enough: large runs keep the
    /// index's pages together. Returns whether it indexed anything, and so whether to call it again
    /// immediately.
    func step(runRowCount: Int, lastExchangeID: Int64) -> Bool {
        guard failureCount < IndexBuilder.failureCountMax,
            lastExchangeID &- indexedThrough >= lagCount &+ Int64(clamping: runRowCount)
        else { return false }
        do throws(StoreError) {
            let database = try open()
            let isIndexed = try database.transaction(.immediate) { () throws(StoreError) in
                try index(runRowCount, through: lastExchangeID &- lagCount, database)
            }
            failureCount = 0
            return isIndexed
        } catch {
            startOver(error)
            return false
        }
    }

    /// Notes exchanges that were stored with numbers the index has already passed.
    func noteInserted(_ ids: some Sequence<Int64>) {
        let late = ids.filter { $0 <= indexedThrough }
        guard !late.isEmpty, let database else { return }
        do throws(StoreError) {
            try database.transaction(.immediate) { () throws(StoreError) in
                for id in late {
                    try database.run(
                        "INSERT OR IGNORE INTO main.pending VALUES (?)", [.integer(id)])
                }
            }
        } catch { startOver(error) }
    }

    /// Closes the file; the next step opens it again.
    func close() {
        writer = nil
        database = nil
    }

    /// Deletes the file.
    func discard() { IndexFile.remove([path]) { close() } }

    // MARK: Opening

    private func open() throws(StoreError) -> SQLiteConnection {
        if let database { return database }
        IndexFile.removeOrphans(of: path)
        if let opened = try openUsable() {
            database = opened
            return opened
        }
        IndexFile.remove([path])
        let fresh = try connect()
        database = fresh
        return fresh
    }

    /// Opens the existing file if it is usable.
    private func openUsable() throws(StoreError) -> SQLiteConnection? {
        let opened = try connect()
        return try IndexBuilder.isUsable(opened) ? opened : nil
    }

    private func connect() throws(StoreError) -> SQLiteConnection {
        try PrivateFile.ensure(path, in: directory)
        let database = try SQLiteConnection(
            path: path, .writing, busyTimeoutMs: 100,
            setUp: IndexFile.setUp(logPageCount: 2_048, logByteCountMax: 8 << 20))
        try database.run("ATTACH DATABASE ? AS store", [.text(IndexFile.readOnlyURI(storePath))])
        try database.transaction(.immediate) { () throws(StoreError) in
            if try database.isTrue("SELECT NOT EXISTS (SELECT 1 FROM main.sqlite_schema)") {
                try database.execute(IndexSchema.tables)
            }
        }
        return database
    }

    /// Whether the file has the current layout, belongs to this store, and does not consist mostly
    /// of exchanges that have since been deleted.
    private static func isUsable(_ database: SQLiteConnection) throws(StoreError) -> Bool {
        guard try database.integer("PRAGMA main.user_version") == IndexSchema.version else {
            return false
        }
        let belongs = IndexSchema.belongsCondition(schema: "main", store: "store")
        guard try database.isTrue(belongs) else { return false }
        return try database.isTrue(
            """
            SELECT s.indexed_count <= 2 * t.exchange_count + 100000
            FROM main.state s, store.store_state t
            """)
    }

    /// After an error the file may be damaged. Rebuilding it fixes everything except a full disk,
    /// on which the next attempts fail too, until the builder gives up.
    private func startOver(_ error: StoreError) {
        failureCount += 1
        lastError = "\(error)"
        discard()
        indexedThrough = 0
    }

    // MARK: Indexing

    /// Indexes a run and records how far it reaches.
    private func index(
        _ count: Int, through last: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> Bool {
        let from = try database.integer("SELECT indexed_through FROM main.state") ?? 0
        indexedThrough = from
        let wanted = try database.integer(
            """
            SELECT id FROM store.exchange WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?
            """, [.integer(from), .integer(last), .integer(Int64(max(0, count - 1)))])
        guard let wanted else { return false }
        let writer = try openWriter(database)
        let through = try writer.end(from: from, through: wanted)
        let added = try writer.add(from: from, through: through)
        try database.run(
            """
            UPDATE main.state SET indexed_through = ?1, sample_id = ?1,
              indexed_count = indexed_count + ?2,
              sample_started_ns = (SELECT started_ns FROM store.exchange WHERE id = ?1)
            """, [.integer(through), .integer(Int64(added))])
        indexedThrough = through
        return true
    }

    private func openWriter(_ database: SQLiteConnection) throws(StoreError) -> IndexWriter {
        if let writer { return writer }
        let opened = try IndexWriter(database)
        writer = opened
        return opened
    }
}
