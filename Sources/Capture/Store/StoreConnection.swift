internal import Glibc
internal import ProxydCaptureModel

/// The one connection that writes a store. Confined to its recorder's thread.
final class StoreConnection {
    let path: String
    let database: SQLiteConnection
    /// The size of the store's pages, whoever made it.
    let pageByteCount: Int64
    private var isFullySynchronous = false
    /// How much longer than usual the log may become before the next checkpoint, in pages:
    /// grows while a reader keeps it from being copied whole.
    private var checkpointDelay: Int32 = 0

    /// Opens a database file that exists, empty or not, and brings it to this program's schema.
    init(path: String) throws(StoreError) {
        self.path = path
        StoreLibrary.prepareForRecording()
        database = try SQLiteConnection(
            path: path, .writing, busyTimeoutMs: 250, setUp: StoreConnection.setUp)
        try SchemaMigrator.migrate(database, path: path)
        pageByteCount =
            try database.integer("PRAGMA page_size") ?? Int64(Schema.pageByteCount)
        database.countLoggedPages()
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
    func close() { database.close() }

    /// Runs statements that are not worth preparing.
    func execute(_ sql: String) throws(StoreError) { try database.execute(sql) }

    /// The single number that a statement gives; 0 where it gives none.
    func integer(_ sql: String) throws(StoreError) -> Int64 { try database.integer(sql) ?? 0 }

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
    var lastChangeCount: Int64 { database.lastChangeCount }

    /// Whether a transaction is open.
    var isInTransaction: Bool { database.isInTransaction }

    /// Undoes an open transaction; SQLite may have done so by itself.
    func rollBack() { database.rollBack() }

    /// Copies the log into the database as far as readers allow; returns whether all was copied.
    /// `isTruncating` also cuts the log file to nothing, unless a reader needs it.
    func checkpoint(isTruncating: Bool) throws(StoreError) -> Bool {
        try database.checkpoint(isTruncating ? .truncating : .passive)
    }

    /// Checkpoints when the log has grown by a number of octets since the last time it could be
    /// copied whole; a reader with an old snapshot costs one more try per such growth, not one per
    /// commit.
    func checkpointIfDue(byteCount: Int64) throws(StoreError) {
        let pages = max(1, Int32(clamping: byteCount / pageByteCount))
        let logged = database.loggedPageCount
        if logged < pages { checkpointDelay = 0 }
        guard logged >= pages &+ checkpointDelay else { return }
        if try checkpoint(isTruncating: false) {
            // The next commit begins the log anew.
            checkpointDelay = 0
            database.loggedPageCount = 0
        } else {
            checkpointDelay = logged
        }
    }

    /// Looks for damage; throws `StoreError.damaged` where it finds some.
    func verify() throws(StoreError) {
        var finding = ""
        try database.texts("PRAGMA quick_check(1)").forEach { finding = $0 }
        guard finding == "ok" else { throw .damaged(finding) }
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
