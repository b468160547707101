internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import ProxydCaptureModel

/// The one connection that writes a store. Confined to its recorder's thread.
///
/// GRDB opens the file and runs what is seldom; the recording path prepares raw statements on
/// the same connection, which nobody else can reach.
final class StoreConnection {
    let path: String
    private let queue: DatabaseQueue
    /// GRDB's connection, for raw statements; valid until `close()`.
    let handle: SQLiteConnection
    /// The size of the store's pages, whoever made it.
    let pageByteCount: Int64
    private var isFullySynchronous = false
    /// Pages in the log after the last commit; SQLite writes it through a hook.
    private let loggedPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    /// How much longer than usual the log may become before the next checkpoint, in pages:
    /// grows while a reader keeps it from being copied whole.
    private var checkpointDelay: Int32 = 0

    /// Opens a database file that exists, empty or not, and brings it to this program's schema.
    init(path: String) throws(StoreError) {
        self.path = path
        StoreLibrary.prepareForRecording()
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(0.25)
        configuration.label = "proxyd.store"
        configuration.prepareDatabase { try $0.execute(sql: StoreConnection.setUp) }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            handle = try queue.writeWithoutTransaction { database in
                guard let handle = database.sqliteConnection else { throw StoreError.stopped }
                return handle
            }
            try SchemaMigrator.migrate(queue, path: path)
            pageByteCount = try queue.read {
                try Int64.fetchOne($0, sql: "PRAGMA page_size") ?? Int64(Schema.pageByteCount)
            }
        } catch {
            throw StoreError(error)
        }
        // From here on GRDB only closes. Its authorizer would remember for ever what each statement
        // prepared here changes, and copy that list for the next one; its hooks would check each
        // commit for its own queue.
        sqlite3_set_authorizer(handle, nil, nil)
        sqlite3_commit_hook(handle, nil, nil)
        sqlite3_rollback_hook(handle, nil, nil)
        loggedPages.pointee = 0
        sqlite3_wal_hook(
            handle,
            { context, _, _, pageCount in
                context?.assumingMemoryBound(to: Int32.self).pointee = pageCount
                return SQLITE_OK
            }, loggedPages)
    }

    deinit {
        close()
        loggedPages.deallocate()
    }

    /// Nothing here writes: a file that is not ours or newer than us must stay as it is. Temporary
    /// tables stay in memory because what is captured must not leak into other files; deleted
    /// content is overwritten; a hostile schema may not call functions.
    private static let setUp = """
        PRAGMA cache_size = -2048;
        PRAGMA temp_store = MEMORY;
        PRAGMA secure_delete = ON;
        PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON;
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA journal_size_limit = 67108864;
        """

    /// Closes. Statements must be gone before.
    func close() {
        sqlite3_wal_hook(handle, nil, nil)
        try? queue.close()
    }

    /// Runs statements that are not worth preparing.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw StoreError(handle, code) }
    }

    /// The single number that a statement gives; 0 where it gives none.
    func integer(_ sql: String) throws(StoreError) -> Int64 {
        var value: Int64 = 0
        let statement = try SQLiteStatement(handle, sql)
        try statement.forEachRow { value = $0.columnInteger(0) }
        return value
    }

    /// The highest number in a table; 0 where there is none but those that only damage makes.
    func lastID(of table: String) throws(StoreError) -> Int64 {
        try integer(
            """
            SELECT coalesce(max(id), 0) FROM \(table) WHERE id BETWEEN 0 AND \(Schema.lastIDMax)
            """)
    }

    /// Makes the next commits wait for the disk, or not. Not inside a transaction.
    func setFullySynchronous(_ isFull: Bool) throws(StoreError) {
        guard isFull != isFullySynchronous else { return }
        try execute("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
        isFullySynchronous = isFull
    }

    /// Rows that the last statement changed.
    var lastChangeCount: Int64 { sqlite3_changes64(handle) }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Undoes an open transaction; SQLite may have done so by itself.
    func rollBack() {
        if isInTransaction { try? execute("ROLLBACK") }
    }

    /// Copies the log into the database as far as readers allow; returns whether all was copied.
    /// `isTruncating` also cuts the log file to nothing, unless a reader needs it.
    func checkpoint(isTruncating: Bool) throws(StoreError) -> Bool {
        var logged: Int32 = 0
        var copied: Int32 = 0
        let mode = isTruncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &copied)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw StoreError(handle, code) }
        return logged == copied
    }

    /// Checkpoints when the log has grown by a number of octets since the last time it could be
    /// copied whole; a reader with an old snapshot costs one more try per such growth, not one per
    /// commit.
    func checkpointIfDue(byteCount: Int64) throws(StoreError) {
        let pages = max(1, Int32(clamping: byteCount / pageByteCount))
        let logged = loggedPages.pointee
        if logged < pages { checkpointDelay = 0 }
        guard logged >= pages &+ checkpointDelay else { return }
        if try checkpoint(isTruncating: false) {
            // The next commit begins the log anew.
            checkpointDelay = 0
            loggedPages.pointee = 0
        } else {
            checkpointDelay = logged
        }
    }

    /// Looks for damage; throws `.sqlite(SQLITE_CORRUPT, …)` where it finds some.
    func verify() throws(StoreError) {
        var finding = ""
        let statement = try SQLiteStatement(handle, "PRAGMA quick_check(1)")
        try statement.forEachRow {
            finding = String(decoding: $0.columnOctets(0), as: UTF8.self)
        }
        guard finding == "ok" else {
            throw .sqlite(code: SQLITE_CORRUPT, message: finding)
        }
    }

    /// The size of the database as of its last commit, in octets: the file's, once the log is
    /// copied into it.
    func contentByteCount() throws(StoreError) -> Int64 {
        try integer("PRAGMA page_count") &* pageByteCount
    }

    /// The size of the write-ahead log in octets.
    var walByteCount: Int64 { StoreConnection.byteCount(of: path + "-wal") }
    /// The size of the database file in octets.
    var fileByteCount: Int64 { StoreConnection.byteCount(of: path) }

    private static func byteCount(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
