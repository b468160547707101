internal import Glibc
public import ProxydCaptureModel
public import ProxydHTTPModel
internal import Synchronization

/// Reads a store, beside a running recorder or without one. Safe on any thread.
///
/// The connection is read-only: it never checkpoints, and no read lasts longer than one page, so
/// that the write-ahead log can be copied and cut. Where there is no recorder, SQLite makes the
/// files `-wal` and `-shm` for the time of reading; made by root they get the store's owner and
/// mode (SQLite sees to that), so that the owner's recorder can open them.
public final class StoreReader: Sendable {
    private let connection: SharedConnection
    /// The file number of the index file that is attached; 0 for none.
    let attachedIndex = Mutex<UInt64>(0)
    let candidateCache = Mutex(CandidateCache())
    /// The database file.
    public let path: String
    /// Tells this file from one that takes its place while it is open.
    public let fileNumber: UInt64

    /// Opens the store of a data directory. Throws `.missing` where there is none,
    /// `.newerSchema` and `.foreignFile` where it is not for this program, and SQLite's error of a
    /// damaged file where its tables are not those that this program makes.
    public init(directory: DataDirectory) throws(StoreError) {
        path = directory.storePath
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else {
                throw .directory(path: path, problem: String(cString: strerror(errno)))
            }
            throw .missing(path: path)
        }
        fileNumber = UInt64(status.st_ino)
        guard status.st_size > 0 else { throw .missing(path: path) }
        connection = try SharedConnection(
            path: path, busyTimeoutMs: 5_000, setUp: StoreReader.setUp)
        let path = path
        // In one snapshot: a recorder may be making the store, all at once.
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

    /// Attaches the index file with the indexes, where there is one; a new one in place of the old.
    func attachIndex() throws(StoreError) {
        var status = stat()
        let found = stat(IndexFile.indexPath(besideStore: path), &status) == 0
        let number = found ? UInt64(status.st_ino) : 0
        guard attachedIndex.withLock({ $0 != number }) else { return }
        let path = path
        try connection.use { database in
            // Fails where nothing is attached.
            try? database.execute("DETACH DATABASE side")
            if found { IndexPlan.attach(to: database, storePath: path) }
        }
        attachedIndex.withLock { $0 = number }
    }

    /// Runs one short read.
    func read<Value>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value {
        try connection.read(body)
    }

    /// Runs a read without a snapshot of its own: each statement sees what is newest.
    func readNewest<Value>(
        _ body: (SQLiteConnection) throws -> Value
    ) throws(StoreError) -> Value {
        try connection.use(body)
    }

    /// The number of exchanges.
    public func exchangeCount() throws(StoreError) -> Int64 {
        try read { try $0.integer("SELECT exchange_count FROM store_state") ?? 0 }
    }

    /// The highest number in the store; nil where it is empty.
    public func lastExchangeID() throws(StoreError) -> ExchangeID? {
        try read {
            try $0.integer("SELECT max(id) FROM exchange").map { ExchangeID(rawValue: $0) }
        }
    }

    /// Looks through the whole file; returns what is wrong, nothing where all is well. Takes as
    /// long as reading the file does.
    public func integrityCheck() throws(StoreError) -> [String] {
        try readNewest { try $0.texts("PRAGMA integrity_check").filter { $0 != "ok" } }
    }
}
