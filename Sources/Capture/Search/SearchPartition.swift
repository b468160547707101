internal import ProxydCaptureModel

/// One search file, open for writing. Confined to the recorder's thread.
final class SearchPartition {
    let number: Int
    var isFull: Bool { extent.isFull(exchangeCountMax: exchangeCountMax) }
    /// What the file covers once everything added is committed.
    private(set) var extent: SearchExtent
    private let database: SQLiteConnection
    private let insertURL: SQLiteStatement
    private let insertPiece: SQLiteStatement
    private let exchangeCountMax: Int64
    private var isInTransaction = false
    /// Whether something is only in the log.
    private var isCheckpointDue = false
    /// The number of bytes added since the last commit.
    private var uncommittedByteCount = 0
    private var uncommittedCount = 0

    /// FTS5 writes its buffer when it commits or the buffer has this size: small commits would cost
    /// as much as large ones, and much more when their results are merged.
    private static let commitByteCount = 1 << 20
    private static let commitCount = 2_000

    /// Opens a file, or creates one that starts at the given exchange; returns nil if the file has
    /// another layout.
    init?(
        _ number: Int, path: String, in directory: String, firstID: Int64, exchangeCountMax: Int64
    ) throws(StoreError) {
        try PrivateFile.ensure(path, in: directory)
        self.number = number
        self.exchangeCountMax = exchangeCountMax
        database = try SQLiteConnection(
            path: path, .writing, busyTimeoutMs: 100,
            setUp: IndexFile.setUp(logPageCount: 0, logByteCountMax: 4 << 20))
        try SearchPartition.prepare(database, firstID: firstID)
        guard let extent = try SearchExtent.read(database) else { return nil }
        self.extent = extent
        insertURL = try SQLiteStatement(database, "INSERT INTO url(rowid, text) VALUES (?1, ?2)")
        insertPiece = try SQLiteStatement(database, "INSERT INTO body(rowid, text) VALUES (?1, ?2)")
    }

    private static func prepare(_ database: SQLiteConnection, firstID: Int64) throws(StoreError) {
        guard try database.isTrue("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)") else { return }
        try database.transaction(.deferred) { () throws(StoreError) in
            try database.execute(SearchSchema.tables)
            try database.run(
                "INSERT INTO state VALUES (1, ?, ?, 0, 0, NULL)",
                [.integer(firstID), .integer(firstID - 1)])
        }
    }

    // MARK: Adding

    func add(_ bytes: Span<UInt8>, key: Int64, isURL: Bool) throws(StoreError) {
        try begin()
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 8)
        SearchText.append(bytes, to: &text)
        let statement = isURL ? insertURL : insertPiece
        statement.bind(1, key)
        try text.span.withUnsafeBytes { (buffer) throws(StoreError) in
            statement.bind(2, buffer, isText: true)
            defer { statement.bindNull(2) }
            try statement.run()
        }
        uncommittedByteCount += bytes.count
        extent.textByteCount += Int64(bytes.count)
    }

    /// Marks an exchange that every search must scan.
    func addRest(_ id: Int64, isURLMissing: Bool) throws(StoreError) {
        try begin()
        try database.run(
            "INSERT OR REPLACE INTO rest VALUES (?, ?)",
            [.integer(id), .integer(isURLMissing ? 1 : 0)])
    }

    /// Notes that everything of an exchange was added; commits if that is worth it.
    func end(_ document: SearchDocument) throws(StoreError) {
        try begin()
        extent.throughID = document.id
        extent.sampleStartedNs = document.startedNs
        extent.indexedCount += 1
        uncommittedCount += 1
        if uncommittedByteCount >= SearchPartition.commitByteCount
            || uncommittedCount >= SearchPartition.commitCount || isFull
        {
            try commit()
        }
    }

    /// Makes the additions visible to readers. Call it only between two exchanges.
    func commit() throws(StoreError) {
        guard isInTransaction else { return }
        try database.run(
            """
            UPDATE state SET through_id = ?, indexed_count = ?, text_byte_count = ?,
              sample_started_ns = ?
            """,
            [
                .integer(extent.throughID), .integer(extent.indexedCount),
                .integer(extent.textByteCount), SQLValue(extent.sampleStartedNs),
            ])
        try database.execute("COMMIT")
        isInTransaction = false
        isCheckpointDue = true
        uncommittedByteCount = 0
        uncommittedCount = 0
    }

    /// Closes the file and drops uncommitted additions. A full file no longer needs its log; if a
    /// reader has it open and the log has to stay, the log is empty.
    func close() {
        database.rollBack()
        isInTransaction = false
        guard isFull else { return }
        copyLog()
        try? database.execute("PRAGMA journal_mode = DELETE")
    }

    /// Starts the transaction that the next commit ends, after copying what the last commit left in
    /// the log. Each takes about ten milliseconds, and recording gets its turn in between.
    private func begin() throws(StoreError) {
        guard !isInTransaction else { return }
        copyLog()
        try database.execute("BEGIN IMMEDIATE")
        isInTransaction = true
    }

    /// Pages that a reader or the disk keeps back are copied after the next commit.
    private func copyLog() {
        guard isCheckpointDue else { return }
        isCheckpointDue = false
        _ = try? database.checkpoint(.passive)
    }
}
