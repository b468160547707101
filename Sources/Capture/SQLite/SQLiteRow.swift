internal import ProxydCSQLite

/// The row that a statement has come to; good until the statement goes on.
///
/// Nothing here traps: a damaged or hostile file may hold a value of any type anywhere.
struct SQLiteRow {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    private func type(_ index: Int) -> Int32 {
        guard index < Int(sqlite3_data_count(statement)) else { return SQLITE_NULL }
        return sqlite3_column_type(statement, Int32(index))
    }

    /// A number; nil for anything else.
    func integer(_ index: Int) -> Int64? {
        guard type(index) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(statement, Int32(index))
    }

    /// A number that fits the machine's word; nil for anything else.
    func int(_ index: Int) -> Int? { integer(index).flatMap { Int(exactly: $0) } }

    /// A text, with all of its bytes; what is not UTF-8 is replaced. Nil for anything else.
    func text(_ index: Int) -> String? {
        guard type(index) == SQLITE_TEXT else { return nil }
        return String(decoding: bytes(index), as: UTF8.self)
    }

    /// Bytes, of a text too; nil for anything else.
    func octets(_ index: Int) -> [UInt8]? {
        switch type(index) {
        case SQLITE_BLOB, SQLITE_TEXT: Array(bytes(index))
        default: nil
        }
    }

    /// How many bytes a value takes as text or blob.
    func byteCount(_ index: Int) -> Int { Int(sqlite3_column_bytes(statement, Int32(index))) }

    /// A value of whatever type.
    func value(_ index: Int) -> SQLValue {
        switch type(index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, Int32(index)))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, Int32(index)))
        case SQLITE_TEXT: .text(String(decoding: bytes(index), as: UTF8.self))
        case SQLITE_BLOB: .blob(Array(bytes(index)))
        default: .null
        }
    }

    /// All values.
    var values: [SQLValue] { (0..<Int(sqlite3_data_count(statement))).map(value) }

    private func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        // In this order: a text that is not UTF-8 yet is converted by the first call.
        let start = sqlite3_column_blob(statement, Int32(index))
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : byteCount(index))
    }
}
