internal import ProxydCSQLite
internal import ProxydCaptureModel

/// A statement written by a user, on its own connection that can only read.
final class ReadOnlyStatement {
    /// The maximum size of a value, and of the values of a row together, in bytes: more than the
    /// store keeps in one value.
    private static let byteCountMax = 64 << 20

    private let connection: SQLiteConnection
    private let statement: SQLiteStatement
    private let refusals = Refusals()

    /// Prepares the statement after running `setUp`. Throws `.notPermitted` if it would write,
    /// attach a database or change settings, or if the text is not exactly one statement.
    init(path: String, setUp: String, _ text: String) throws(StoreError) {
        connection = try SQLiteConnection(path: path, .reading, busyTimeoutMs: 5_000, setUp: setUp)
        sqlite3_set_authorizer(
            connection.handle, authorizeReading, Unmanaged.passUnretained(refusals).toOpaque())
        let limit = Int32(ReadOnlyStatement.byteCountMax)
        sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, limit)
        statement = try SQLiteStatement(single: text, connection, refusals)
        guard statement.isReadOnly else { throw .writing }
    }

    var columnNames: [String] { statement.columnNames }

    /// Passes the rows to the closure until it returns false.
    func takeRows(while body: ([SQLValue]) throws(StoreError) -> Bool) throws(StoreError) {
        do {
            try cancellable {
                try statement.takeRows(while: { (row) throws(StoreError) in
                    guard row.byteCount <= ReadOnlyStatement.byteCountMax else {
                        throw .notPermitted(
                            "a row has more than 64 MiB: select fewer or shorter columns")
                    }
                    return try body(row.values)
                })
            }
        } catch let error as StoreError where error.isInterruption {
            throw .cancelled
        } catch {
            throw StoreError(error)
        }
    }

    private func cancellable(_ body: () throws -> Void) throws {
        guard let cancellation = ReadCancellation.current else { return try body() }
        // Only `interrupt`, which SQLite allows from any thread, is called from another one, and
        // only while the read runs.
        nonisolated(unsafe) let running = connection
        try cancellation.reading(interrupt: { running.interrupt() }, body)
    }
}

/// What SQLite refused to do; its result code does not always say so.
private final class Refusals {
    var areThere = false
}

extension StoreError {
    fileprivate static let writing = StoreError.notPermitted(
        "only read-only statements are allowed here")

    /// Whether the statement would change a view, which SQLite finds before it asks whether it may.
    fileprivate var isAboutView: Bool {
        guard case .sqlite(_, let message) = self else { return false }
        return message.hasPrefix("cannot modify ")
    }
}

extension SQLiteStatement {
    /// Prepares the only statement of a text.
    fileprivate convenience init(
        single text: String, _ connection: SQLiteConnection, _ refusals: Refusals
    ) throws(StoreError) {
        var handle: OpaquePointer?
        var code = SQLITE_OK
        var hasMore = false
        text.withCString { start in
            var tail: UnsafePointer<CChar>?
            code = sqlite3_prepare_v2(connection.handle, start, -1, &handle, &tail)
            var rest: OpaquePointer?
            if code == SQLITE_OK, let tail, tail.pointee != 0 {
                // Comments and white space after the statement compile to nothing.
                hasMore =
                    sqlite3_prepare_v2(connection.handle, tail, -1, &rest, nil) != SQLITE_OK
                    || rest != nil
                sqlite3_finalize(rest)
            }
        }
        guard code == SQLITE_OK else {
            let error = StoreError(connection.handle, code)
            throw refusals.areThere || error.isAboutView ? .writing : error
        }
        guard let handle else { throw .notPermitted("the statement is empty") }
        self.init(prepared: handle, connection)
        if hasMore { throw .notPermitted("only one statement at a time") }
    }
}

/// SQLite calls this for each operation of a statement. VACUUM INTO is reported as ATTACH.
private func authorizeReading(
    _ context: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?,
    _ second: UnsafePointer<CChar>?, _ third: UnsafePointer<CChar>?, _ fourth: UnsafePointer<CChar>?
) -> Int32 {
    if isReading(action, first, second) { return SQLITE_OK }
    if let context { Unmanaged<Refusals>.fromOpaque(context).takeUnretainedValue().areThere = true }
    return SQLITE_DENY
}

private func isReading(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return true
    case SQLITE_FUNCTION:
        let name = second.map { String(cString: $0).lowercased() } ?? ""
        // The second returns and accepts addresses in this process.
        return !["load_extension", "fts3_tokenizer"].contains(name)
    case SQLITE_PRAGMA:
        let asked = first.map { String(cString: $0).lowercased() } ?? ""
        let readable: Set<String> = [
            "table_info", "table_xinfo", "table_list", "index_list", "index_info", "user_version",
            "page_count", "page_size", "freelist_count", "database_list", "integrity_check",
            "quick_check", "compile_options", "encoding", "function_list",
        ]
        // With a value, some of them would change a setting.
        let takesName =
            asked.hasPrefix("table_") || asked.hasPrefix("index_") || asked.hasSuffix("_check")
        return readable.contains(asked) && (second == nil || takesName)
    default: return false
    }
}
