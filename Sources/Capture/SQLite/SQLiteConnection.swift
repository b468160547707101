internal import ProxydCSQLite
internal import ProxydCaptureModel
internal import Glibc
internal import Synchronization

/// A connection to a database. Confined to its owner; only `interrupt` is for any thread.
final class SQLiteConnection {
    enum Access {
        case reading
        /// Write a file, creating it if it does not exist.
        case writing
    }

    /// SQLite's connection handle; nothing here uses it after it is closed.
    let handle: OpaquePointer
    /// Statements that are kept, by their SQL text.
    private var kept: [String: SQLiteStatement] = [:]
    private var isOpen = true
    /// The number of pages in the log after the last commit, for `countLoggedPages`.
    var loggedPages: UnsafeMutablePointer<Int32>?

    /// Opens a database.
    /// - Parameters:
    ///   - path: The path of the file; `:memory:` for a database in memory.
    ///   - busyTimeoutMs: How long to wait for a lock that another connection holds, in
    ///     milliseconds.
    ///   - setUp: Statements to run first.
    init(
        path: String, _ access: Access, busyTimeoutMs: Int32 = 0, setUp: String = ""
    ) throws(StoreError) {
        let mode =
            switch access {
            case .reading: SQLITE_OPEN_READONLY
            case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var handle: OpaquePointer?
        // URIs are for attached files. One thread at a time uses it: SQLite need not lock.
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close(handle) }
            throw handle.map { StoreError($0, code) }
                ?? StoreError(code: code, message: "no memory for a database")
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyTimeoutMs)
        try execute(setUp)
    }

    deinit { close() }

    /// Closes the connection. SQLite's handle stays open until all statements are released.
    func close() {
        guard isOpen else { return }
        isOpen = false
        kept = [:]
        stopCountingLoggedPages()
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// Returns a statement that is prepared once and kept as long as the connection. It must have
    /// run to its end before it is requested again.
    func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let statement = kept[sql] { return statement }
        let statement = try SQLiteStatement(self, sql)
        kept[sql] = statement
        return statement
    }

    /// Runs statements that are not worth preparing, one after another.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw StoreError(handle, code) }
    }

    var lastChangeCount: Int64 { sqlite3_changes64(handle) }

    /// Ends running statements with `SQLITE_INTERRUPT`, from any thread.
    func interrupt() { sqlite3_interrupt(handle) }

    // MARK: Transactions

    /// When a transaction takes its lock.
    enum TransactionKind: String {
        /// With its first statement; for reads, which then all see one state.
        case deferred = "BEGIN DEFERRED"
        /// Immediately; for writes.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Runs a closure in a transaction, which is rolled back if the closure throws.
    func transaction<Value>(
        _ kind: TransactionKind, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try execute(kind.rawValue)
        do throws(StoreError) {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Rolls back an open transaction; SQLite may already have done so by itself.
    func rollBack() {
        if isInTransaction { try? execute("ROLLBACK") }
    }
}

/// Runs one statement immediately. There must be one value for each parameter, in order.
extension SQLiteConnection {
    /// Runs a statement and ignores its rows.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        try statement.run()
    }

    /// Maps the rows, and leaves out those for which the closure returns nil.
    func rows<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (SQLiteRow) -> Value?
    ) throws(StoreError) -> [Value] {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        var found: [Value] = []
        try statement.forEachRow { if let value = make($0) { found.append(value) } }
        return found
    }

    /// Maps the first row, or returns nil if there is none.
    func first<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (SQLiteRow) -> Value
    ) throws(StoreError) -> Value? {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        return try statement.first(make)
    }

    /// The number in the first row and column, or nil if there is no row or it is not a number.
    func integer(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64? {
        try first(sql, values) { $0.integer(0) } ?? nil
    }

    /// The numbers in the first column.
    func integers(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [Int64] {
        try rows(sql, values) { $0.integer(0) }
    }

    /// The texts in the first column.
    func texts(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [String] {
        try rows(sql, values) { $0.text(0) }
    }

    /// Whether the value in the first row and column is true.
    func isTrue(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Bool {
        try integer(sql, values) == 1
    }

    // MARK: The write-ahead log

    /// How much of the log a checkpoint copies.
    enum Checkpoint {
        /// As much as readers allow.
        case passive
        /// All of it; the log file is then truncated to zero.
        case truncating
    }

    /// Copies the log into the database; returns whether all of it was copied, which readers and
    /// other writers may prevent.
    func checkpoint(_ kind: Checkpoint) throws(StoreError) -> Bool {
        var logged: Int32 = 0
        var copied: Int32 = 0
        let mode = kind == .truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &copied)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw StoreError(handle, code) }
        return logged == copied
    }

    /// The pages in the log after the last commit, or the value set last; 0 if not counted.
    var loggedPageCount: Int32 {
        get { loggedPages?.pointee ?? 0 }
        set { loggedPages?.pointee = newValue }
    }

    /// Starts counting the pages that commits leave in the log. SQLite then no longer makes
    /// checkpoints by itself.
    func countLoggedPages() {
        guard loggedPages == nil else { return }
        let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        pages.initialize(to: 0)
        loggedPages = pages
        sqlite3_wal_hook(
            handle,
            { context, _, _, pageCount in
                context?.assumingMemoryBound(to: Int32.self).pointee = pageCount
                return SQLITE_OK
            }, pages)
    }

    /// Stops counting: the hook must not outlive the memory it writes to.
    func stopCountingLoggedPages() {
        guard let pages = loggedPages else { return }
        sqlite3_wal_hook(handle, nil, nil)
        pages.deallocate()
        loggedPages = nil
    }
}

/// A read connection shared by several threads, which use it one after another. The current
/// `ReadCancellation` can interrupt its own read, and never one of another thread.
final class SharedConnection: Sendable {
    /// Why this is safe: everything except `interrupt`, which SQLite allows from any thread,
    /// happens while `turn` is held, and the connection lives as long as this object.
    nonisolated(unsafe) private let connection: SQLiteConnection
    private let turn = Mutex(())

    init(path: String, busyTimeoutMs: Int32 = 0, setUp: String = "") throws(StoreError) {
        connection = try SQLiteConnection(
            path: path, .reading, busyTimeoutMs: busyTimeoutMs, setUp: setUp)
    }

    /// Runs a read that sees one state of the database.
    func read<Value>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value {
        try use { connection in
            try connection.transaction(.deferred) { () throws(StoreError) in
                do { return try body(connection) } catch { throw StoreError(error) }
            }
        }
    }

    /// Runs statements that each see the newest state.
    func use<Value>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value {
        var result: Result<Value, any Error> = .failure(StoreError.stopped)
        turn.withLock { _ in result = Result { try cancellable(body) } }
        do { return try result.get() } catch { throw StoreError(error) }
    }

    private func cancellable<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        guard let cancellation = ReadCancellation.current else { return try body(connection) }
        do {
            return try cancellation.reading(interrupt: { self.connection.interrupt() }) {
                try body(connection)
            }
        } catch let error as StoreError where error.isInterruption {
            throw StoreError.cancelled
        }
    }
}

/// Converts SQLite's result codes to ``StoreError`` and classifies them.
extension StoreError {
    init(_ database: OpaquePointer, _ code: Int32) {
        let extended = sqlite3_extended_errcode(database)
        let message = String(cString: sqlite3_errmsg(database))
        let system = sqlite3_system_errno(database)
        if code & 0xFF == SQLITE_IOERR, system == ENOSPC || system == EDQUOT {
            self = .full(String(cString: strerror(system)))
        } else {
            self.init(code: extended & 0xFF == code & 0xFF ? extended : code, message: message)
        }
    }

    /// Maps lack of space to its own case and everything else to SQLite's code.
    init(code: Int32, message: String) {
        self = code & 0xFF == SQLITE_FULL ? .full(message) : .sqlite(code: code, message: message)
    }

    /// Converts what a closure threw, which can only be such an error.
    init(_ error: any Error) {
        self = error as? StoreError ?? .sqlite(code: SQLITE_ERROR, message: "\(error)")
    }

    /// An error for contents that are invalid for this program but not for SQLite.
    static func damaged(_ message: String) -> StoreError {
        .sqlite(code: SQLITE_CORRUPT, message: message)
    }

    var isDamage: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
    }

    var isInterruption: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_INTERRUPT
    }

    /// Whether another connection holds a lock.
    var isLocked: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED
    }

    /// Whether the file is intact but rejects this row.
    var isAboutContent: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_ERROR]
            .contains(code & 0xFF)
    }
}

/// The SQLite library that is loaded at run time.
public enum StoreLibrary {
    /// The version of SQLite, such as `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }

    /// Limits the memory that SQLite takes in this process; a statement that needs more fails.
    public static func limitMemory(byteCount: Int64) { sqlite3_hard_heap_limit64(byteCount) }

    /// Configures the library for a process that records. By default SQLite counts its memory,
    /// under a lock, at every allocation, and the figures are not used. Has no effect if a database
    /// was opened before.
    static func prepareForRecording() { _ = isWithoutStatistics }

    /// Once per process: SQLite accepts it only before its first use.
    private static let isWithoutStatistics = proxyd_sqlite_forget_memory_statistics() != 0
}
