internal import ProxydCSQLite
internal import ProxydCaptureModel

/// One prepared statement. Must be used where its connection is used.
final class SQLiteStatement {
    private let handle: OpaquePointer
    /// SQLite's connection handle, which lives as long as its statements.
    private let database: OpaquePointer
    /// The parameters that may have a value, by index. It saves binding NULL to the many parameters
    /// that are NULL already. Not an array, whose every access would be checked.
    private let valued: UnsafeMutableBufferPointer<Bool>
    /// Whether SQLite has copies of values, which it would keep until others are bound.
    private var hasCopies = false

    /// Prepares the only statement in a text.
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

    /// Notes that a parameter has a value. An index out of range would write out of bounds.
    private func note(_ index: Int32) {
        precondition(valued.indices.contains(Int(index)))
        valued[Int(index)] = true
    }

    func bindNull(_ index: Int32) {
        precondition(valued.indices.contains(Int(index)))
        guard valued[Int(index)] else { return }
        valued[Int(index)] = false
        sqlite3_bind_null(handle, index)
    }

    /// Binds bytes that must stay valid until the statement has run.
    func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer, isText: Bool) {
        note(index)
        // A nil pointer would bind NULL instead of an empty value.
        let start = bytes.baseAddress ?? UnsafeRawPointer(SQLiteStatement.nothing)
        let count = Int32(clamping: bytes.count)
        if isText {
            sqlite3_bind_text(handle, index, start.assumingMemoryBound(to: CChar.self), count, nil)
        } else {
            sqlite3_bind_blob(handle, index, start, count, nil)
        }
    }

    /// Binds a copy of bytes; the copy is released after the statement has run.
    func bindCopy(_ index: Int32, _ bytes: UnsafeRawBufferPointer, isText: Bool) {
        note(index)
        hasCopies = true
        let start = bytes.baseAddress ?? UnsafeRawPointer(SQLiteStatement.nothing)
        let count = Int32(clamping: bytes.count)
        if isText {
            sqlite3_bind_text(
                handle, index, start.assumingMemoryBound(to: CChar.self), count,
                SQLiteStatement.transient)
        } else {
            sqlite3_bind_blob(handle, index, start, count, SQLiteStatement.transient)
        }
    }

    /// Binds a copy of a text; nil is NULL.
    func bindCopy(_ index: Int32, _ text: String?) {
        guard let text else { return bindNull(index) }
        text.utf8Span.span.withUnsafeBytes { bindCopy(index, $0, isText: true) }
    }

    /// Binds copies of values to all parameters, in order.
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
            case .blob(let bytes): bytes.span.withUnsafeBytes { bindCopy(index, $0, isText: false) }
            }
        }
    }

    /// Runs to the end and ignores rows.
    func run() throws(StoreError) {
        let code = sqlite3_step(handle)
        let reset = self.reset()
        guard code == SQLITE_DONE || code == SQLITE_ROW else {
            throw StoreError(database, reset == SQLITE_OK ? code : reset)
        }
    }

    /// Runs a statement whose two parameters are a number and a blob, which is not copied.
    func run(_ number: Int64, blob: Span<UInt8>) throws(StoreError) {
        bind(1, number)
        try blob.withUnsafeBytes { (bytes) throws(StoreError) in
            bind(2, bytes, isText: false)
            try run()
        }
    }

    /// Resets the statement so that it can run again; returns SQLite's result code.
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

    func forEachRow(_ body: (SQLiteRow) -> Void) throws(StoreError) {
        try takeRows(while: { (row) throws(StoreError) in
            body(row)
            return true
        })
    }

    /// Runs the statement and passes on rows until the closure returns false.
    func takeRows(while body: (SQLiteRow) throws(StoreError) -> Bool) throws(StoreError) {
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

    /// Runs the statement up to the first row and maps it, or returns nil if there is none.
    func first<Value>(_ make: (SQLiteRow) -> Value) throws(StoreError) -> Value? {
        var value: Value?
        try takeRows(while: { row in
            value = make(row)
            return false
        })
        return value
    }

    var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { index in
            sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
        }
    }

    var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// The address of empty values; never freed, never written.
    nonisolated(unsafe) private static let nothing =
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    /// SQLITE_TRANSIENT, a macro that Swift cannot import: SQLite copies the value.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// The current row of a statement; valid until the statement advances.
///
/// Nothing here traps: a damaged or hostile file may contain a value of any type anywhere.
struct SQLiteRow: StoredValues {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    private func type(_ index: Int) -> Int32 {
        guard index < Int(sqlite3_data_count(statement)) else { return SQLITE_NULL }
        return sqlite3_column_type(statement, Int32(index))
    }

    func integer(_ index: Int) -> Int64? {
        guard type(index) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(statement, Int32(index))
    }

    func text(_ index: Int) -> String? {
        guard type(index) == SQLITE_TEXT else { return nil }
        return String(decoding: contents(index), as: UTF8.self)
    }

    func bytes(_ index: Int) -> [UInt8]? {
        switch type(index) {
        case SQLITE_BLOB, SQLITE_TEXT: Array(contents(index))
        default: nil
        }
    }

    /// The size of a value as text or blob, in bytes.
    func byteCount(_ index: Int) -> Int { Int(sqlite3_column_bytes(statement, Int32(index))) }

    /// The size of all texts and blobs together, in bytes.
    var byteCount: Int {
        (0..<Int(sqlite3_data_count(statement))).reduce(0) { sum, index in
            [SQLITE_TEXT, SQLITE_BLOB].contains(type(index)) ? sum &+ byteCount(index) : sum
        }
    }

    func value(_ index: Int) -> SQLValue {
        switch type(index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, Int32(index)))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, Int32(index)))
        case SQLITE_TEXT: .text(String(decoding: contents(index), as: UTF8.self))
        case SQLITE_BLOB: .blob(Array(contents(index)))
        default: .null
        }
    }

    var values: [SQLValue] { (0..<Int(sqlite3_data_count(statement))).map(value) }

    private func contents(_ index: Int) -> UnsafeRawBufferPointer {
        // The order matters: the first call converts a text that is not UTF-8 yet.
        let start = sqlite3_column_blob(statement, Int32(index))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : byteCount(index))
    }
}
