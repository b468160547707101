internal import ProxydCSQLite
internal import ProxydCaptureModel

/// A connection to a database. Confined to its owner; only `interrupt` may be called from any
/// thread.
final class SQLiteConnection {
    /// What the connection may do with the file.
    enum Access {
        /// Read an existing file.
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
        // URIs are needed for attached files. Only one thread uses it at a time: SQLite need not
        // lock.
        let code = sqlite3_open_v2(
            path, &handle, mode | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
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

    /// Closes the connection. Statements that still exist keep SQLite's handle open until they are
    /// released.
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

    /// How many rows the last statement changed.
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

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Rolls back an open transaction; SQLite may already have done so by itself.
    func rollBack() {
        if isInTransaction { try? execute("ROLLBACK") }
    }
}
