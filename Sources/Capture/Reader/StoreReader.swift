public import ProxydCaptureModel
public import ProxydFilter
public import ProxydHTTPModel
public import ProxydParameterCoding
internal import Glibc
internal import Synchronization

/// Reads a store, with or without a recorder running. Safe to use from any thread.
///
/// The connection is read-only: it never checkpoints, and no read takes longer than one page, so
/// that the write-ahead log can be copied and truncated. If no recorder is running, SQLite creates
/// the files `-wal` and `-shm` while it reads. If root creates them, SQLite gives them the owner
/// and mode of the store, so that its owner's recorder can open them.
public final class StoreReader: Sendable {
    private let connection: SharedConnection
    /// The inode number of the attached index file; 0 if none is attached.
    let attachedIndex = Mutex<UInt64>(0)
    let candidateCache = Mutex(CandidateCache())
    public let path: String
    /// Tells this file apart from one that replaces it while it is open.
    public let fileNumber: UInt64

    /// Opens the store of a data directory. Throws `.missing` if there is none, `.directory` if
    /// something else has its name or it may not be read, `.newerSchema` or `.foreignFile` if it is
    /// not for this program, and SQLite's error for a damaged file if its tables are not those that
    /// this program creates.
    public init(directory: DataDirectory) throws(StoreError) {
        path = directory.storePath
        var status = stat()
        guard stat(path, &status) == 0, faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else {
            guard errno == ENOENT else {
                throw .directory(path: path, problem: String(cString: strerror(errno)))
            }
            throw .missing(path: path)
        }
        // SQLite would wait for a writer of a pipe.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .directory(path: path, problem: "not a regular file")
        }
        fileNumber = UInt64(status.st_ino)
        guard status.st_size > 0 else { throw .missing(path: path) }
        connection = try SharedConnection(
            path: path, busyTimeoutMs: 5_000, setUp: StoreReader.setUp)
        let path = path
        // In one snapshot: a recorder may be creating the store, which it does in one transaction.
        try connection.read { database in
            let version = try SchemaMigrator.version(of: database, path: path)
            guard version > 0 else { throw StoreError.missing(path: path) }
            try SchemaCheck.verify(database, version: version)
        }
        try connection.use { database in
            let version = try SchemaMigrator.version(of: database, path: path)
            try database.execute(Schema.temporaryParts(after: version))
        }
    }

    private static let setUp = """
        PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON;
        PRAGMA temp_store = MEMORY;
        """

    /// Attaches the index file if there is one, in place of an older one that is attached.
    func attachIndex() throws(StoreError) {
        var status = stat()
        let found =
            stat(IndexFile.indexPath(besideStore: path), &status) == 0
            && status.st_mode & S_IFMT == S_IFREG
        let number = found ? UInt64(status.st_ino) : 0
        guard attachedIndex.withLock({ $0 != number }) else { return }
        let path = path
        try connection.use { database in
            // Fails if nothing is attached.
            try? database.execute("DETACH DATABASE side")
            if found { IndexPlan.attach(to: database, storePath: path) }
        }
        attachedIndex.withLock { $0 = number }
    }

    /// Runs one short read in a snapshot.
    func read<Value>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value {
        try connection.read(body)
    }

    /// Runs statements without a common snapshot: each sees the newest state.
    func readNewest<Value>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value {
        try connection.use(body)
    }

    public func exchangeCount() throws(StoreError) -> Int64 {
        try read { try $0.integer("SELECT exchange_count FROM store_state") ?? 0 }
    }

    public func lastExchangeID() throws(StoreError) -> ExchangeID? {
        try read { try $0.integer("SELECT max(id) FROM exchange").map { ExchangeID(rawValue: $0) } }
    }

    /// Checks the whole file, which takes as long as reading it; returns the problems found.
    public func integrityCheck() throws(StoreError) -> [String] {
        try readNewest { try $0.texts("PRAGMA integrity_check").filter { $0 != "ok" } }
    }

    // MARK: Whole exchanges and their parts

    public func exchange(
        _ id: ExchangeID, bodyByteCountMax: Int = 64 << 20
    ) throws(StoreError) -> Exchange? {
        try read { try StoredExchange.load(id.rawValue, bodyByteCountMax: bodyByteCountMax, $0) }
    }

    public func headBytes(
        of id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8]? {
        let heads = try read { try StoredExchange.heads(of: id.rawValue, $0) }
        return message == .request ? heads.requestBytes : heads.responseBytes
    }

    /// Passes the stored bytes of a body on from the start, in chunks of at most 256 KiB, until the
    /// closure returns false. No read transaction is open while the closure runs.
    public func forEachBodyChunk(
        of id: ExchangeID, _ message: StoredMessage, _ body: ([UInt8]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let part = message.bodyPart
        let shared = try read { try StoredBody.shared(id.rawValue, part, $0) }
        if let shared, try !body(shared) { return }
        var position: Int64 = 0
        while true {
            let start = position
            let pieces = try read { try StoredBody.pieces(id.rawValue, part, from: start, $0) }
            if pieces.isEmpty { return }
            position += Int64(pieces.count)
            guard try body(Array(pieces.joined())) else { return }
        }
    }

    public func parameters(of id: ExchangeID) throws(StoreError) -> [ExtractedParameter] {
        try read {
            try $0.rows(
                """
                SELECT source, name, value FROM parameter WHERE exchange_id = ?
                ORDER BY source <> 'query', source, position
                """, [.integer(id.rawValue)], StoreReader.parameter)
        }
    }

    private static func parameter(_ row: SQLiteRow) -> ExtractedParameter? {
        row.text(0).flatMap(ExtractedParameter.Source.init(rawValue:)).map {
            ExtractedParameter(source: $0, name: row.text(1) ?? "", value: row.text(2))
        }
    }

    public func annotations(of id: ExchangeID) throws(StoreError) -> Exchange.Annotations {
        try read { try StoredExchange.annotations(of: id.rawValue, $0) }
    }

    // MARK: The messages of one exchange

    public func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws(StoreError) -> [MessageRow] {
        try read {
            try StoredMessages.page(of: id.rawValue, page, limit, byteCountMax: byteCountMax, $0)
        }
    }

    public func lastMessagePosition(of id: ExchangeID) throws(StoreError) -> Int64? {
        try read { try StoredMessages.lastPosition(of: id.rawValue, $0) }
    }

    // MARK: Files that describe protocol buffer messages

    public func protoFiles() throws(StoreError) -> [ProtoFile] {
        try read {
            try $0.rows(
                """
                SELECT name, source, added_ns, octets FROM proto_file
                ORDER BY source <> 'given', added_ns DESC, id DESC
                """, [], StoreReader.protoFile)
        }
    }

    public func protoFileVersion() throws(StoreError) -> ProtoFileVersion {
        let version = try read {
            try $0.first(
                "SELECT count(*), max(id), max(added_ns) FROM proto_file", [],
                { row in
                    ProtoFileVersion(
                        count: row.integer(0) ?? 0, lastID: row.integer(1) ?? 0,
                        lastAddedNs: row.integer(2) ?? 0)
                })
        }
        return version ?? ProtoFileVersion()
    }

    /// Returns nil if the row is damaged.
    private static func protoFile(_ row: SQLiteRow) -> ProtoFile? {
        guard let name = row.text(0), let bytes = row.bytes(3),
            let source = row.text(1).flatMap(ProtoFile.Source.init(rawValue:))
        else { return nil }
        return ProtoFile(name: name, source: source, addedNs: row.integer(2) ?? 0, bytes: bytes)
    }

    // MARK: Cheap queries that a viewer repeats often

    /// How many of the newest rows completion values are taken from.
    private static let sampleCount: Int64 = 3_000
    private static let valueCountMax = 200

    public func changeNumber() throws(StoreError) -> Int64 {
        try readNewest { try $0.integer("PRAGMA data_version") ?? 0 }
    }

    /// Returns the values of a column in the newest rows, most frequent first; for hosts, all
    /// values if there is an index file.
    public func values(of column: SortColumn) throws(StoreError) -> [String] {
        try attachIndex()
        return try read { database in
            var values = try database.texts(
                """
                SELECT CAST(value AS TEXT) FROM (
                  SELECT \(column.expression) AS value FROM exchange
                  WHERE exchange.id > (SELECT max(id) FROM exchange) - ?)
                WHERE value IS NOT NULL GROUP BY value ORDER BY count(*) DESC, value LIMIT ?
                """,
                [.integer(StoreReader.sampleCount), .integer(Int64(StoreReader.valueCountMax))])
            if column == .host, values.count < StoreReader.valueCountMax {
                values += try StoreReader.indexedHosts(database).filter { !values.contains($0) }
            }
            return values
        }
    }

    private static func indexedHosts(_ database: SQLiteConnection) throws -> [String] {
        guard IndexPlan.isAttached(database), try IndexPlan.indexedThrough(database) != nil else {
            return []
        }
        return try database.texts(
            """
            \(IndexSchema.hostHops)
            SELECT CAST(host AS TEXT) FROM hop WHERE host IS NOT NULL LIMIT ?
            """, [.integer(Int64(valueCountMax))])
    }
}

/// The requirements of `ExchangeReading` that have other names in this type.
extension StoreReader: ExchangeReading {
    /// The inode number of the file tells it apart from a file that later replaces it.
    public var storeNumber: UInt64 { fileNumber }

    /// Whether the index file stores the values in sorted order.
    public func isQuick(by column: SortColumn) -> Bool { column == .time || column.index != nil }

    public func position(of row: ExchangeRow, by column: SortColumn) -> ListPosition {
        ListPosition(row, column)
    }

    public func positions(
        matching filter: Filter, by column: SortColumn, isDescending: Bool,
        from start: ListPosition?, isBackward: Bool, limit: Int, progress: (Double) -> Void
    ) throws(StoreError) -> [ListPosition] {
        try sortKeys(
            matching: filter, by: column, isDescending: isDescending, from: start,
            isBackward: isBackward, limit: limit, progress: progress)
    }
}

/// SQL statements written by users.
extension StoreReader: SQLReading {
    /// Runs one read-only statement and passes its rows on until `onRow` returns false. The column
    /// names are passed on first, exactly once, even if there are no rows.
    ///
    /// May take any amount of time, unless a `ReadCancellation` ends it; while it runs the
    /// write-ahead log cannot be truncated. Throws `.notPermitted` for a statement that would
    /// write, attach a database or change settings.
    public func sql(
        _ text: String, onColumns: ([String]) throws(StoreError) -> Void,
        onRow: ([SQLValue]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let version = try read { try SchemaMigrator.version(of: $0, path: path) }
        let statement = try ReadOnlyStatement(
            path: path, setUp: StoreReader.sqlSetUp(version: version), text)
        try onColumns(statement.columnNames)
        try statement.takeRows(while: onRow)
    }

    private static func sqlSetUp(version: Int) -> String {
        """
        PRAGMA temp_store = MEMORY;
        \(Schema.temporaryParts(after: version));
        PRAGMA query_only = ON;
        PRAGMA trusted_schema = OFF;
        """
    }
}
