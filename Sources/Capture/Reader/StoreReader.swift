internal import Glibc
public import ProxydCaptureModel
public import ProxydHTTPModel
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
    /// The path of the database file.
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
    func readNewest<Value>(
        _ body: (SQLiteConnection) throws -> Value
    ) throws(StoreError) -> Value {
        try connection.use(body)
    }

    /// Returns the number of exchanges in the store.
    public func exchangeCount() throws(StoreError) -> Int64 {
        try read { try $0.integer("SELECT exchange_count FROM store_state") ?? 0 }
    }

    /// Returns the highest exchange number in the store, or nil if it is empty.
    public func lastExchangeID() throws(StoreError) -> ExchangeID? {
        try read {
            try $0.integer("SELECT max(id) FROM exchange").map { ExchangeID(rawValue: $0) }
        }
    }

    /// Checks the whole file and returns the problems found, or none. Takes as long as reading the
    /// file.
    public func integrityCheck() throws(StoreError) -> [String] {
        try readNewest { try $0.texts("PRAGMA integrity_check").filter { $0 != "ok" } }
    }
}
