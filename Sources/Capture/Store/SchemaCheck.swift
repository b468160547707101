internal import GRDBSQLite
internal import ProxydCaptureModel

/// Whether a store's tables and views are those of this program. A changed letter in one of them
/// makes statements fail that look like mistakes of ours, and not like a damaged file.
enum SchemaCheck {
    /// Throws `.sqlite(SQLITE_CORRUPT, …)` where one is missing or not as the migrations to a
    /// version made it. What somebody added is let be.
    static func verify(
        _ handle: OpaquePointer, version: Int = Schema.version
    ) throws(StoreError) {
        let found = try definitions(handle)
        for (name, definition) in try expected(version) where found[name] != definition {
            throw .sqlite(code: SQLITE_CORRUPT, message: "the definition of \(name) is damaged")
        }
    }

    /// Whether a table or view is there that is defined as this program defines it: nobody else's
    /// database has one.
    static func hasOwn(_ handle: OpaquePointer) throws(StoreError) -> Bool {
        let found = try definitions(handle)
        return try expected(Schema.version).contains { found[$0] == $1 }
    }

    /// What the migrations to a version make, in a database of memory that is let go again.
    private static func expected(_ version: Int) throws(StoreError) -> [String: String] {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        let opened = sqlite3_open(":memory:", &handle)
        guard opened == SQLITE_OK, let handle else {
            throw StoreError(code: opened, message: "no memory for a database")
        }
        for migration in Schema.migrations.prefix(version) {
            let code = sqlite3_exec(handle, migration, nil, nil, nil)
            guard code == SQLITE_OK else { throw StoreError(handle, code) }
        }
        return try definitions(handle)
    }

    /// The SQL text of tables, views and triggers by name. Damaged indexes show otherwise.
    private static func definitions(
        _ handle: OpaquePointer
    ) throws(StoreError) -> [String: String] {
        var found: [String: String] = [:]
        let statement = try SQLiteStatement(
            handle, "SELECT name, sql FROM sqlite_master WHERE type <> 'index'")
        try statement.forEachRow {
            let name = String(decoding: $0.columnOctets(0), as: UTF8.self)
            found[name] = String(decoding: $0.columnOctets(1), as: UTF8.self)
        }
        return found
    }
}
