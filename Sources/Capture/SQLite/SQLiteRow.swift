internal import ProxydCSQLite
internal import ProxydStoreCoding
internal import ProxydCaptureModel

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

    /// The value as a number, or nil if it has another type.
    func integer(_ index: Int) -> Int64? {
        guard type(index) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(statement, Int32(index))
    }

    /// The value as a text, with invalid UTF-8 replaced, or nil if it is not a text.
    func text(_ index: Int) -> String? {
        guard type(index) == SQLITE_TEXT else { return nil }
        return String(decoding: contents(index), as: UTF8.self)
    }

    /// The bytes of a blob or text, or nil if it has another type.
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

    /// A value of any type.
    func value(_ index: Int) -> SQLValue {
        switch type(index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, Int32(index)))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, Int32(index)))
        case SQLITE_TEXT: .text(String(decoding: contents(index), as: UTF8.self))
        case SQLITE_BLOB: .blob(Array(contents(index)))
        default: .null
        }
    }

    /// All values of the row.
    var values: [SQLValue] { (0..<Int(sqlite3_data_count(statement))).map(value) }

    private func contents(_ index: Int) -> UnsafeRawBufferPointer {
        // The order matters: the first call converts a text that is not UTF-8 yet.
        let start = sqlite3_column_blob(statement, Int32(index))
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : byteCount(index))
    }
}
