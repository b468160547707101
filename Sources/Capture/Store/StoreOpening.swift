public import ProxydCaptureModel
internal import ProxydCivilTime
internal import Glibc

/// Opens the store of a data directory for writing, and renames a damaged one.
enum StoreOpening {
    /// Stores up to this size in bytes, including the write-ahead log, are verified completely when
    /// they are opened. In larger stores only what opening touches is checked, because startup must
    /// be fast.
    static let verifiedByteCountMax: Int64 = 64 << 20

    struct Opened {
        let connection: StoreConnection
        /// The path to which a damaged file was renamed, or nil if there was none.
        var damagedPath: String?
        var damage: String?
    }

    /// Opens the store; the caller holds its lock. If `isSuspect`, all of it is verified.
    static func open(_ directory: DataDirectory, isSuspect: Bool = false) throws(StoreError)
        -> Opened
    {
        do throws(StoreError) {
            return Opened(connection: try connect(directory, isSuspect: isSuspect))
        } catch {
            guard error.isDamage else { throw error }
            let damagedPath = try putAside(directory)
            var opened = Opened(connection: try connect(directory, isSuspect: false))
            opened.damagedPath = damagedPath
            opened.damage = error.description
            return opened
        }
    }

    private static func connect(_ directory: DataDirectory, isSuspect: Bool) throws(StoreError)
        -> StoreConnection
    {
        try PrivateFile.ensure(directory.storePath, in: directory.path)
        let connection = try StoreConnection(path: directory.storePath)
        do throws(StoreError) {
            try SchemaCheck.verify(connection.database)
            let byteCount = try connection.contentByteCount()
            if isSuspect || byteCount <= verifiedByteCountMax { try connection.verify() }
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// Renames a damaged database and its log, so that a user may still recover data from it.
    private static func putAside(_ directory: DataDirectory) throws(StoreError) -> String {
        let now = CivilTime(secondsSinceEpoch: Int64(time(nil)))
        let stamp = "\(now)Z".filter { $0 != "-" && $0 != ":" }
        let plain = directory.storePath + ".corrupt-" + stamp
        var target = plain
        var number = 1
        while access(target, F_OK) == 0 {
            number += 1
            target = "\(plain)-\(number)"
        }
        guard rename(directory.storePath, target) == 0 else {
            throw .directory(path: directory.storePath, problem: String(cString: strerror(errno)))
        }
        _ = rename(directory.storePath + "-wal", target + "-wal")
        _ = unlink(directory.storePath + "-shm")
        PrivateFile.synchronize(directory: directory.path)
        return target
    }
}

/// The right to write to a store: an exclusive lock on `captures.lock`, held until `release()` or
/// until the process ends in any way.
///
/// SQLite before 3.51.3 can corrupt a WAL database if two connections write or checkpoint at the
/// same time, so only the connection of this lock's holder does either.
final class StoreLock {
    private var descriptor: Int32

    /// Takes the lock, or throws an error that names its holder.
    init(_ directory: DataDirectory) throws(StoreError) {
        descriptor = try PrivateFile.open(directory.lockPath, in: directory.path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = StoreLock.readPID(descriptor)
            close(descriptor)
            descriptor = -1
            throw .busy(path: directory.storePath, pid: holder)
        }
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit { release() }

    func release() {
        guard descriptor >= 0 else { return }
        _ = ftruncate(descriptor, 0)
        close(descriptor)
        descriptor = -1
    }

    private static func readPID(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }
}

/// Migrates a database to this program's schema, completely or not at all.
enum SchemaMigrator {
    /// Migrates the database. Throws `StoreError.newerSchema`, `.foreignFile` or the error of a
    /// damaged header before anything is written.
    static func migrate(_ database: SQLiteConnection, path: String) throws(StoreError) {
        let found = try version(of: database, path: path)
        if found == 0 {
            // Both can only be set while the file is empty.
            try database.execute(
                """
                PRAGMA page_size = \(Schema.pageByteCount);
                PRAGMA auto_vacuum = INCREMENTAL;
                """)
        }
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        guard found < Schema.version else { return }
        // Version numbers are in the transaction: after a crash the store is either old or new.
        let migrations = Schema.migrations[found...].joined(separator: ";\n")
        try database.transaction(.immediate) { () throws(StoreError) in
            try database.execute(
                """
                \(migrations);
                PRAGMA application_id = \(Schema.applicationID);
                PRAGMA user_version = \(Schema.version);
                """)
        }
    }

    /// The schema version of a file; 0 if it is empty.
    static func version(of database: SQLiteConnection, path: String) throws(StoreError) -> Int {
        let application = try database.integer("PRAGMA application_id") ?? 0
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        let tableCount = try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
        if tableCount == 0, application == 0, found == 0 { return 0 }
        guard application == Int64(Schema.applicationID), found >= 1 else {
            guard try SchemaCheck.hasOwn(database) else { throw .foreignFile(path: path) }
            throw .damaged("the store's header is damaged")
        }
        guard found <= Schema.version else {
            throw .newerSchema(path: path, found: found, supported: Schema.version)
        }
        return found
    }
}

/// Checks that a store's tables and views are those of this program. A single changed letter makes
/// statements fail as if this program had a bug, and not like a damaged file.
enum SchemaCheck {
    /// Throws `StoreError.damaged` if one is missing or differs from what the migrations to a
    /// version create. Additional tables and views are ignored.
    static func verify(
        _ database: SQLiteConnection, version: Int = Schema.version
    ) throws(StoreError) {
        let found = try definitions(database)
        for (name, definition) in try expected(version) where found[name] != definition {
            throw .damaged("the definition of \(name) is damaged")
        }
    }

    /// Whether a table or view exists that is defined as in this program; no other program's
    /// database has one.
    static func hasOwn(_ database: SQLiteConnection) throws(StoreError) -> Bool {
        let found = try definitions(database)
        return try expected(Schema.version).contains { found[$0] == $1 }
    }

    /// What the migrations to a version create, in a temporary in-memory database.
    private static func expected(_ version: Int) throws(StoreError) -> [String: String] {
        let database = try SQLiteConnection(path: ":memory:", .writing)
        for migration in Schema.migrations.prefix(version) { try database.execute(migration) }
        return try definitions(database)
    }

    /// The SQL text of tables, views and triggers by name. Damaged indexes are detected elsewhere.
    private static func definitions(
        _ database: SQLiteConnection
    ) throws(StoreError) -> [String: String] {
        var found: [String: String] = [:]
        let statement = try SQLiteStatement(
            database, "SELECT name, sql FROM sqlite_master WHERE type <> 'index'")
        try statement.forEachRow { row in
            if let name = row.text(0) { found[name] = row.text(1) }
        }
        return found
    }
}

/// Waits for a store that another process has locked: most programs write to it for milliseconds.
public enum StoreRetry {
    private static let delayUs: UInt32 = 50_000
    private static let retriesPerSecond = 20

    /// Makes an attempt, and makes it again every 50 ms while it throws `StoreError.busy`, for as
    /// long as given. Before each wait, `mayWait` is asked; the error is thrown if it says no.
    public static func whileBusy<Value>(
        seconds: Int, mayWait: (StoreError) -> Bool = { _ in true }, attempt: () throws -> Value
    ) throws -> Value {
        var retryCount = 0
        while true {
            do {
                return try attempt()
            } catch let error as StoreError {
                guard case .busy = error, retryCount < seconds * retriesPerSecond, mayWait(error)
                else { throw error }
                retryCount += 1
                usleep(delayUs)
            }
        }
    }
}
