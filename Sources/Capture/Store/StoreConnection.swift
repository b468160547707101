internal import ProxydCaptureModel
internal import Glibc

/// The only connection that writes a store. Confined to its recorder's thread.
final class StoreConnection {
    let path: String
    let database: SQLiteConnection
    /// The store's actual page size in bytes.
    let pageByteCount: Int64
    private var isFullySynchronous = false
    /// How much longer than usual the log may become before the next checkpoint, in pages; it grows
    /// while a reader keeps the log from being copied completely.
    private var checkpointDelay: Int32 = 0

    /// Opens an existing database file, empty or not, and migrates it to this program's schema.
    init(path: String) throws(StoreError) {
        self.path = path
        StoreLibrary.prepareForRecording()
        database = try SQLiteConnection(
            path: path, .writing, busyTimeoutMs: 250, setUp: StoreConnection.setUp)
        try SchemaMigrator.migrate(database, path: path)
        pageByteCount = try database.integer("PRAGMA page_size") ?? Int64(Schema.pageByteCount)
        database.countLoggedPages()
    }

    /// Nothing here writes: a file of another program or a newer version must not change. Temporary
    /// tables stay in memory because captured data must not leak into other files; deleted content
    /// is overwritten; a hostile schema may not call functions.
    private static let setUp = """
        PRAGMA cache_size = -2048;
        PRAGMA temp_store = MEMORY;
        PRAGMA secure_delete = ON;
        PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON;
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA journal_size_limit = 67108864;
        """

    /// Closes the connection. All statements must be released before.
    func close() { database.close() }

    func execute(_ sql: String) throws(StoreError) { try database.execute(sql) }

    /// The single number that a statement returns, or 0 if it returns none.
    func integer(_ sql: String) throws(StoreError) -> Int64 { try database.integer(sql) ?? 0 }

    /// The highest number in a table, or 0 if there is none; numbers that only a damaged store
    /// contains are ignored.
    func lastID(of table: String) throws(StoreError) -> Int64 {
        try integer(
            """
            SELECT coalesce(max(id), 0) FROM \(table) WHERE id BETWEEN 0 AND \(Schema.lastIDMax)
            """)
    }

    /// Sets whether the next commits wait for the disk. Must not be called inside a transaction.
    func setFullySynchronous(_ isFull: Bool) throws(StoreError) {
        guard isFull != isFullySynchronous else { return }
        try execute("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
        isFullySynchronous = isFull
    }

    var lastChangeCount: Int64 { database.lastChangeCount }

    func rollBack() { database.rollBack() }

    /// Copies the log into the database as far as readers allow; returns whether all was copied.
    /// `isTruncating` also truncates the log file to zero, unless a reader needs it.
    func checkpoint(isTruncating: Bool) throws(StoreError) -> Bool {
        try database.checkpoint(isTruncating ? .truncating : .passive)
    }

    /// Checkpoints if the log has grown by `byteCount` bytes since it could last be copied
    /// completely; a reader with an old snapshot costs one more attempt per such growth, not one
    /// per commit.
    func checkpointIfDue(byteCount: Int64) throws(StoreError) {
        let pages = max(1, Int32(clamping: byteCount / pageByteCount))
        let logged = database.loggedPageCount
        if logged < pages { checkpointDelay = 0 }
        guard logged >= pages &+ checkpointDelay else { return }
        if try checkpoint(isTruncating: false) {
            // The next commit restarts the log.
            checkpointDelay = 0
            database.loggedPageCount = 0
        } else {
            checkpointDelay = logged
        }
    }

    /// Checks the database; throws `StoreError.damaged` if it finds damage.
    func verify() throws(StoreError) {
        var finding = ""
        try database.texts("PRAGMA quick_check(1)").forEach { finding = $0 }
        guard finding == "ok" else { throw .damaged(finding) }
    }

    /// The size of the database as of its last commit in bytes: the size the file will have once
    /// the log is copied into it.
    func contentByteCount() throws(StoreError) -> Int64 {
        try integer("PRAGMA page_count") &* pageByteCount
    }

    var walByteCount: Int64 { StoreConnection.byteCount(of: path + "-wal") }
    var fileByteCount: Int64 { StoreConnection.byteCount(of: path) }

    private static func byteCount(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}

/// Statements that insert 1, 2, … rows into a table: one statement for three rows costs a third
/// less than three statements.
struct InsertStatements {
    static let rowCountMax = 8

    /// The number of columns, and so the distance between the parameters of two rows.
    let columnCount: Int32
    private let statements: [SQLiteStatement]

    /// Prepares the statements; `insertion` is the text before VALUES. Each has one parameter per
    /// column and row, row by row.
    init(_ database: SQLiteConnection, _ insertion: String, columnCount: Int) throws(StoreError) {
        let row = "(" + Array(repeating: "?", count: columnCount).joined(separator: ", ") + ")"
        var statements: [SQLiteStatement] = []
        for count in 1...InsertStatements.rowCountMax {
            let rows = Array(repeating: row, count: count).joined(separator: ", ")
            statements.append(try SQLiteStatement(database, "\(insertion) VALUES \(rows)"))
        }
        self.columnCount = Int32(columnCount)
        self.statements = statements
    }

    /// The statement for a number of rows, at least one.
    subscript(rowCount: Int) -> SQLiteStatement { statements[rowCount - 1] }

    /// Calls the closure for each group of rows inserted by one statement, until all are inserted.
    static func forEachGroup(
        of rowCount: Int, _ body: (Range<Int>) throws(StoreError) -> Void
    ) throws(StoreError) {
        var start = 0
        while start < rowCount {
            let end = min(rowCount, start + rowCountMax)
            try body(start..<end)
            start = end
        }
    }

    /// The number of parameters before a row, counting rows from 0.
    func offset(row: Int) -> Int32 { Int32(row) * columnCount }
}
