internal import ProxydCaptureModel

/// Checks that a store's tables and views are those of this program. A single changed letter makes
/// statements fail as if this program had a bug, and not like a damaged file.
enum SchemaCheck {
    /// Throws `StoreError.damaged` if one is missing or differs from what the migrations to a
    /// version create. Additional tables and views are ignored.
    static func verify(
        _ database: SQLiteConnection, version: Int = Schema.version
    ) throws(StoreError) {
        let found = try definitions(database)
        for (name, definition) in try expected(version) where found[name] != definition {
            throw .damaged("the definition of \(name) is damaged")
        }
    }

    /// Whether a table or view exists that is defined as in this program; no other program's
    /// database has one.
    static func hasOwn(_ database: SQLiteConnection) throws(StoreError) -> Bool {
        let found = try definitions(database)
        return try expected(Schema.version).contains { found[$0] == $1 }
    }

    /// What the migrations to a version create, in a temporary in-memory database.
    private static func expected(_ version: Int) throws(StoreError) -> [String: String] {
        let database = try SQLiteConnection(path: ":memory:", .writing)
        for migration in Schema.migrations.prefix(version) { try database.execute(migration) }
        return try definitions(database)
    }

    /// The SQL text of tables, views and triggers by name. Damaged indexes are detected elsewhere.
    private static func definitions(
        _ database: SQLiteConnection
    ) throws(StoreError) -> [String: String] {
        var found: [String: String] = [:]
        let statement = try SQLiteStatement(
            database, "SELECT name, sql FROM sqlite_master WHERE type <> 'index'")
        try statement.forEachRow { row in
            if let name = row.text(0) { found[name] = row.text(1) }
        }
        return found
    }
}
