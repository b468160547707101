internal import ProxydCSQLite
internal import ProxydCaptureModel

/// One prepared statement. Lives and dies where its connection does.
final class SQLiteStatement {
    private let handle: OpaquePointer
    /// SQLite's connection, which lasts as long as its statements.
    private let database: OpaquePointer
    /// The parameters that may hold a value, by their index. Binding NULL to the many that are NULL
    /// already is worth leaving out. No array: access to one is checked each time.
    private let valued: UnsafeMutableBufferPointer<Bool>
    /// Whether SQLite holds copies of values, which it would keep until others are bound.
    private var hasCopies = false

    /// Prepares a statement, of which there is one in the text.
    convenience init(_ connection: SQLiteConnection, _ sql: String) throws(StoreError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw StoreError(connection.handle, code) }
        self.init(prepared: handle, connection)
    }

    /// Takes over a statement of a connection.
    init(prepared handle: OpaquePointer, _ connection: SQLiteConnection) {
        self.handle = handle
        database = connection.handle
        let count = Int(sqlite3_bind_parameter_count(handle)) + 1
        valued = .allocate(capacity: count)
        valued.initialize(repeating: false)
    }

    deinit {
        sqlite3_finalize(handle)
        valued.deallocate()
    }

    /// Binds a number; nil is NULL.
    func bind(_ index: Int32, _ value: Int64?) {
        guard let value else { return bindNull(index) }
        note(index)
        sqlite3_bind_int64(handle, index, value)
    }

    /// Notes that a parameter has a value. One that the statement has not got would be noted in
    /// somebody else's memory.
    private func note(_ index: Int32) {
        precondition(valued.indices.contains(Int(index)))
        valued[Int(index)] = true
    }

    /// Binds NULL.
    func bindNull(_ index: Int32) {
        precondition(valued.indices.contains(Int(index)))
        guard valued[Int(index)] else { return }
        valued[Int(index)] = false
        sqlite3_bind_null(handle, index)
    }

    /// Binds octets that stay where they are until the statement ran.
    func bind(_ index: Int32, _ octets: UnsafeRawBufferPointer, isText: Bool) {
        note(index)
        // A nil pointer would bind NULL instead of an empty value.
        let start = octets.baseAddress ?? UnsafeRawPointer(SQLiteStatement.nothing)
        let count = Int32(clamping: octets.count)
        if isText {
            sqlite3_bind_text(
                handle, index, start.assumingMemoryBound(to: CChar.self), count, nil)
        } else {
            sqlite3_bind_blob(handle, index, start, count, nil)
        }
    }

    /// Binds octets by copying them; the copy is gone when the statement ran.
    func bindCopy(_ index: Int32, _ octets: UnsafeRawBufferPointer, isText: Bool) {
        note(index)
        hasCopies = true
        let start = octets.baseAddress ?? UnsafeRawPointer(SQLiteStatement.nothing)
        let count = Int32(clamping: octets.count)
        if isText {
            sqlite3_bind_text(
                handle, index, start.assumingMemoryBound(to: CChar.self), count,
                SQLiteStatement.transient)
        } else {
            sqlite3_bind_blob(handle, index, start, count, SQLiteStatement.transient)
        }
    }

    /// Binds text by copying it; nil is NULL.
    func bindCopy(_ index: Int32, _ text: String?) {
        guard let text else { return bindNull(index) }
        text.utf8Span.span.withUnsafeBytes { bindCopy(index, $0, isText: true) }
    }

    /// Binds values to all parameters, in their order, by copying them.
    func bind(_ values: [SQLValue]) {
        precondition(values.count == valued.count - 1)
        for (offset, value) in values.enumerated() {
            let index = Int32(offset) + 1
            switch value {
            case .null: bindNull(index)
            case .integer(let integer): bind(index, integer)
            case .real(let real):
                note(index)
                sqlite3_bind_double(handle, index, real)
            case .text(let text): bindCopy(index, text)
            case .blob(let octets):
                octets.span.withUnsafeBytes { bindCopy(index, $0, isText: false) }
            }
        }
    }

    /// Runs to the end; rows are ignored.
    func run() throws(StoreError) {
        let code = sqlite3_step(handle)
        let reset = self.reset()
        guard code == SQLITE_DONE || code == SQLITE_ROW else {
            throw StoreError(database, reset == SQLITE_OK ? code : reset)
        }
    }

    /// Makes the statement ready to run again; returns SQLite's result code.
    private func reset() -> Int32 {
        let code = sqlite3_reset(handle)
        if hasCopies {
            sqlite3_clear_bindings(handle)
            valued.update(repeating: false)
            hasCopies = false
        }
        return code
    }

    // MARK: Rows

    /// Runs, and hands over each row.
    func forEachRow(_ body: (SQLiteRow) -> Void) throws(StoreError) {
        try takeRows(while: { (row) throws(StoreError) in
            body(row)
            return true
        })
    }

    /// Runs, and hands over the rows until one is answered with false.
    func takeRows(
        while body: (SQLiteRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var code = sqlite3_step(handle)
        do throws(StoreError) {
            while code == SQLITE_ROW, try body(SQLiteRow(handle)) { code = sqlite3_step(handle) }
        } catch {
            _ = self.reset()
            throw error
        }
        let reset = self.reset()
        guard code == SQLITE_DONE || code == SQLITE_ROW else {
            throw StoreError(database, reset == SQLITE_OK ? code : reset)
        }
    }

    /// Runs; what is made of each row.
    func rows<Value>(_ make: (SQLiteRow) -> Value) throws(StoreError) -> [Value] {
        var values: [Value] = []
        try forEachRow { values.append(make($0)) }
        return values
    }

    /// Runs as far as the first row; what is made of it, nil where there is none.
    func first<Value>(_ make: (SQLiteRow) -> Value) throws(StoreError) -> Value? {
        var value: Value?
        try takeRows(while: { row in
            value = make(row)
            return false
        })
        return value
    }

    /// The names of the columns of its rows.
    var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { index in
            sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
        }
    }

    /// Whether it changes nothing in the database's file.
    var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// What an empty value points at; never freed, never written.
    nonisolated(unsafe) private static let nothing =
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    /// SQLITE_TRANSIENT, a macro that Swift cannot see: SQLite copies the value.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
