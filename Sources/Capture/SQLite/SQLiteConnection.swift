internal import ProxydCSQLite
internal import ProxydCaptureModel

/// A connection to a database. Confined to whoever holds it; only `interrupt` may come from any
/// thread.
final class SQLiteConnection {
    /// What it may do with the file.
    enum Access {
        /// Read a file that exists.
        case reading
        /// Write one that may have to be made.
        case writing
    }

    /// SQLite's own connection; none of ours is used once it is closed.
    let handle: OpaquePointer
    /// Statements that are worth keeping, by their text.
    private var kept: [String: SQLiteStatement] = [:]
    private var isOpen = true
    /// Pages in the log after the last commit, for `countLoggedPages`.
    var loggedPages: UnsafeMutablePointer<Int32>?

    /// Opens a database.
    /// - Parameters:
    ///   - path: of the file; `:memory:` for none.
    ///   - busyTimeoutMs: how long to wait for a lock that another connection holds, milliseconds.
    ///   - setUp: statements to begin with.
    init(
        path: String, _ access: Access, busyTimeoutMs: Int32 = 0, setUp: String = ""
    ) throws(StoreError) {
        let mode =
            switch access {
            case .reading: SQLITE_OPEN_READONLY
            case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var handle: OpaquePointer?
        // URIs are for files that are attached. One thread at a time: no locks of SQLite's own.
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

    /// Closes. Statements that are still there keep SQLite's connection until they are gone.
    func close() {
        guard isOpen else { return }
        isOpen = false
        kept = [:]
        stopCountingLoggedPages()
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// A statement with this text that is prepared once and kept as long as the connection. It is
    /// run to its end before it is asked for again.
    func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let statement = kept[sql] { return statement }
        let statement = try SQLiteStatement(self, sql)
        kept[sql] = statement
        return statement
    }

    /// Runs statements that are not worth preparing, one after the other.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw StoreError(handle, code) }
    }

    /// Rows that the last statement changed.
    var lastChangeCount: Int64 { sqlite3_changes64(handle) }

    /// Ends the statements that run now with `SQLITE_INTERRUPT`, from any thread.
    func interrupt() { sqlite3_interrupt(handle) }

    // MARK: Transactions

    /// When a transaction takes its lock.
    enum TransactionKind: String {
        /// With its first statement: for reading, all of which sees one state.
        case deferred = "BEGIN DEFERRED"
        /// At once: for writing.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Runs a body in a transaction, which is undone where the body throws.
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

    /// Undoes an open transaction; SQLite may have done so by itself.
    func rollBack() {
        if isInTransaction { try? execute("ROLLBACK") }
    }
}
