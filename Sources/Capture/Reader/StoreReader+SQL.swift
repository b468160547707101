internal import GRDB
internal import GRDBSQLite
public import ProxydCaptureModel

/// People's own SQL.
extension StoreReader {
    /// Runs one statement that only reads, and hands over its rows until `onRow` says false. The
    /// column names come first, once, even where there is no row.
    ///
    /// May take as long as it likes; while it runs the write-ahead log cannot be cut. Throws
    /// `.notPermitted` for anything that would write, attach or change settings.
    public func sql(
        _ text: String, onColumns: ([String]) throws(StoreError) -> Void,
        onRow: ([SQLValue]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let version = try read { try SchemaMigrator.version(of: $0, path: path) }
        let query = try ReadOnlyQuery(path: path, version: version, text)
        try onColumns(query.columnNames)
        while let row = try query.next() {
            guard try onRow(row) else { return }
        }
    }
}

/// A statement on a connection of its own that can do nothing but read.
private final class ReadOnlyQuery {
    private var database: OpaquePointer?
    private var statement: OpaquePointer?

    init(path: String, version: Int, _ text: String) throws(StoreError) {
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            let database
        else { throw .missing(path: path) }
        sqlite3_busy_timeout(database, 5_000)
        let setUp = """
            PRAGMA temp_store = MEMORY;
            \(Schema.temporaryParts(after: version));
            PRAGMA query_only = ON;
            PRAGMA trusted_schema = OFF;
            """
        guard sqlite3_exec(database, setUp, nil, nil, nil) == SQLITE_OK else {
            throw StoreError(database, sqlite3_errcode(database))
        }
        sqlite3_set_authorizer(database, authorizeReading, nil)
        try prepare(text, database)
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close_v2(database)
    }

    private func prepare(_ text: String, _ database: OpaquePointer) throws(StoreError) {
        var code = SQLITE_OK
        var hasMore = false
        text.withCString { start in
            var tail: UnsafePointer<CChar>?
            code = sqlite3_prepare_v2(database, start, -1, &statement, &tail)
            var rest: OpaquePointer?
            if code == SQLITE_OK, let tail, tail.pointee != 0 {
                // Comments and white space behind the statement compile to nothing.
                hasMore =
                    sqlite3_prepare_v2(database, tail, -1, &rest, nil) != SQLITE_OK
                    || rest != nil
                sqlite3_finalize(rest)
            }
        }
        if code == SQLITE_AUTH {
            throw .notPermitted("only statements that read are permitted here")
        }
        guard code == SQLITE_OK else { throw StoreError(database, code) }
        guard !hasMore else { throw .notPermitted("one statement at a time") }
        guard let statement else { throw .notPermitted("there is no statement") }
        guard sqlite3_stmt_readonly(statement) != 0 else {
            throw .notPermitted("only statements that read are permitted here")
        }
    }

    var columnNames: [String] {
        (0..<sqlite3_column_count(statement)).map { index in
            sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
        }
    }

    func next() throws(StoreError) -> [SQLValue]? {
        let code = sqlite3_step(statement)
        if code == SQLITE_DONE { return nil }
        guard code == SQLITE_ROW, let database else {
            guard let database else { throw .stopped }
            throw StoreError(database, code)
        }
        _ = database
        return (0..<sqlite3_column_count(statement)).map(value)
    }

    private func value(_ index: Int32) -> SQLValue {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
        case SQLITE_TEXT: return .text(String(decoding: octets(index), as: UTF8.self))
        case SQLITE_BLOB: return .blob(octets(index))
        default: return .null
        }
    }

    private func octets(_ index: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(statement, index)
        let count = sqlite3_column_bytes(statement, index)
        guard let start, count > 0 else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}

/// SQLite asks this about each thing a statement would do. VACUUM INTO asks as ATTACH.
private func authorizeReading(
    _ context: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?,
    _ second: UnsafePointer<CChar>?, _ third: UnsafePointer<CChar>?, _ fourth: UnsafePointer<CChar>?
) -> Int32 {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return SQLITE_OK
    case SQLITE_FUNCTION:
        let name = second.map { String(cString: $0).lowercased() } ?? ""
        return name == "load_extension" ? SQLITE_DENY : SQLITE_OK
    case SQLITE_PRAGMA:
        let asked = first.map { String(cString: $0).lowercased() } ?? ""
        let readable: Set<String> = [
            "table_info", "table_xinfo", "table_list", "index_list", "index_info", "user_version",
            "page_count", "page_size", "freelist_count", "database_list", "integrity_check",
            "quick_check", "compile_options", "encoding", "function_list",
        ]
        // With a value some of them would set something.
        let takesName =
            asked.hasPrefix("table_") || asked.hasPrefix("index_")
            || asked.hasSuffix("_check")
        return readable.contains(asked) && (second == nil || takesName) ? SQLITE_OK : SQLITE_DENY
    default: return SQLITE_DENY
    }
}
