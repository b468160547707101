internal import GRDB
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
    private let queue: DatabaseQueue
    /// The file number of the side file that is attached; 0 for none.
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
        do {
            queue = try DatabaseQueue(path: path, configuration: StoreReader.configuration())
            let path = path
            // In one snapshot: a recorder may be making the store, all at once.
            try queue.read { database in
                let version = try SchemaMigrator.version(of: database, path: path)
                guard version > 0 else { throw StoreError.missing(path: path) }
                guard let handle = database.sqliteConnection else { throw StoreError.stopped }
                try SchemaCheck.verify(handle, version: version)
            }
            try addMissingParts()
        } catch {
            throw StoreError(error)
        }
    }

    private func addMissingParts() throws {
        try queue.inDatabase { database in
            let version = try SchemaMigrator.version(of: database, path: path)
            try database.execute(sql: Schema.temporaryParts(after: version))
        }
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(5)
        configuration.label = "proxyd.reader"
        configuration.prepareDatabase {
            try $0.execute(
                sql: """
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA temp_store = MEMORY;
                    """)
        }
        return configuration
    }

    /// Attaches the side file with the indexes, where there is one; a new one in place of the old.
    func attachIndex() throws(StoreError) {
        var status = stat()
        let found = stat(SideFile.indexPath(besideStore: path), &status) == 0
        let number = found ? UInt64(status.st_ino) : 0
        guard attachedIndex.withLock({ $0 != number }) else { return }
        let path = path
        try readUnsafely { database in
            // Fails where nothing is attached.
            try? database.execute(sql: "DETACH DATABASE side")
            if found { IndexPlan.attach(to: database, storePath: path) }
        }
        attachedIndex.withLock { $0 = number }
    }

    /// Runs one short read.
    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try queue.read { database in
                try ReadCancellation.reading(queue) { try body(database) }
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Runs a read without a snapshot of its own: each statement sees what is newest.
    func readUnsafely<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try queue.unsafeRead { database in
                try ReadCancellation.reading(queue) { try body(database) }
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// The number of exchanges.
    public func exchangeCount() throws(StoreError) -> Int64 {
        try read {
            try Int64.fetchOne($0, sql: "SELECT exchange_count FROM store_state") ?? 0
        }
    }

    /// The highest number in the store; nil where it is empty.
    public func lastExchangeID() throws(StoreError) -> ExchangeID? {
        try read {
            try Int64.fetchOne($0, sql: "SELECT max(id) FROM exchange")
                .map { ExchangeID(rawValue: $0) }
        }
    }

    /// Looks through the whole file; returns what is wrong, nothing where all is well. Takes as
    /// long as reading the file does.
    public func integrityCheck() throws(StoreError) -> [String] {
        try readUnsafely {
            try String.fetchAll($0, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        }
    }
}
