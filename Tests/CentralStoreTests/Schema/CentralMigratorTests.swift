import Testing

@testable import ProxydCentralStore

/// Versions of a schema.
@Suite struct CentralMigratorTests {
    private let connection = ScriptedConnection()
    private var migrator: CentralMigrator { CentralMigrator(connection) }

    /// The schema has a version, or no tables; later it may have another one.
    private func schema(_ versions: UInt8?...) {
        for version in versions.compactMap({ $0 }) {
            connection.answer(
                "SELECT version FROM store_version",
                .rows([.encoded(type: 23, [0, 0, 0, version])]))
        }
        let replies = versions.map { ScriptedConnection.Reply.rows([.boolean($0 != nil)]) }
        if let first = replies.first, let last = replies.last {
            connection.answer("to_regclass(quote_ident", first, last)
        }
        connection.answer("SELECT current_schema()", .rows([.text("web")]))
    }

    private static let newer = CentralError.location(
        "the schema has version 2, newer than this program's 1")
    private static let begin = [
        "BEGIN", "SELECT pg_advisory_xact_lock", "SELECT set_config", "SELECT to_regclass",
    ]

    @Test func `migrating an up-to-date central schema changes nothing`() throws {
        schema(1)
        try migrator.migrate()
        #expect(connection.outline == ["SELECT to_regclass", "SELECT version"])
    }

    @Test func `migrating an empty schema creates its tables in one transaction`() throws {
        schema(nil)
        try migrator.migrate()
        let expected =
            ["SELECT to_regclass", "SELECT current_schema"] + Self.begin
            + ["CREATE TABLE", "ALTER TABLE", "UPDATE store_version", "COMMIT"]
        #expect(connection.outline == expected)
        #expect(connection.arguments(of: "UPDATE store_version") == [[.integer(1)]])
        let made = try #require(connection.requests.first { $0.outline == "CREATE TABLE" })
        for table in CentralSchema.dailyTables {
            #expect(made.sql.contains("CREATE TABLE \(table) ("), "\(table)")
        }
    }

    @Test func `a migration does not create tables that another process has created meanwhile`()
        throws
    {
        schema(nil, 1)
        try migrator.migrate()
        let expected =
            ["SELECT to_regclass", "SELECT current_schema"] + Self.begin
            + ["SELECT version", "UPDATE store_version", "COMMIT"]
        #expect(connection.outline == expected)
    }

    @Test func `a migration rejects a newer central schema without changing it`() {
        schema(2)
        #expect(throws: Self.newer) { try migrator.migrate() }
        #expect(connection.outline.last == "ROLLBACK")
        #expect(!connection.outline.contains("CREATE TABLE"))
        #expect(!connection.outline.contains("UPDATE store_version"))
        #expect(throws: Self.newer) { try migrator.check() }
    }

    @Test func `a migration does not change a schema that became newer meanwhile`() {
        schema(nil, 2)
        #expect(throws: Self.newer) { try migrator.migrate() }
        #expect(connection.outline.suffix(2) == ["SELECT version", "ROLLBACK"])
    }

    @Test(arguments: [[.text("public")], [.null]] as [[CentralValue]])
    func `a migration refuses to create tables in the public schema or if no schema is set`(
        name: [CentralValue]
    ) {
        schema(nil)
        connection.answer("SELECT current_schema()", .rows(name))
        let error = #expect(throws: CentralError.self) { try migrator.migrate() }
        #expect(error?.message.hasPrefix("the URI names no schema of a team") == true)
        #expect(connection.outline == ["SELECT to_regclass", "SELECT current_schema"])
    }

    @Test func `a failed migration of the central schema is rolled back`() {
        schema(nil)
        let error = CentralError.server(code: "42501", message: "permission denied")
        connection.answer("CREATE TABLE store_version", .failure(error))
        #expect(throws: error) { try migrator.migrate() }
        #expect(connection.outline.suffix(2) == ["CREATE TABLE", "ROLLBACK"])
    }

    @Test func `an upgrade adds the missing columns of a central store in one transaction`() throws
    {
        schema(1)
        connection.answer(CentralAdditions.question, .rows([.null]))
        #expect(try migrator.upgrade())
        #expect(
            connection.outline.suffix(6) == [
                "BEGIN", "SET LOCAL", "SELECT pg_advisory_xact_lock", "SELECT set_config",
                "ALTER TABLE", "COMMIT",
            ])
        let sql = try #require(connection.requests.first { $0.outline == "ALTER TABLE" }).sql
        #expect(sql.contains("ALTER TABLE exchange ADD COLUMN received_status integer;"))
        #expect(sql.contains("CREATE OR REPLACE VIEW exchanges"))
        #expect(sql.contains("CREATE OR REPLACE FUNCTION make_day"))
        // Programs of 0.2.0 refuse another version.
        #expect(!sql.contains("SET version"))
    }

    @Test func `an upgrade does not change a central store that has all columns`() throws {
        schema(1)
        #expect(try !migrator.upgrade())
        #expect(!connection.outline.contains("ALTER TABLE"))
    }

    @Test func `checking a central schema fails if it has no tables`() throws {
        schema(1)
        try migrator.check()
        connection.answer("to_regclass(quote_ident", .rows([.boolean(false)]))
        let error = #expect(throws: CentralError.self) { try migrator.check() }
        #expect(error?.message.hasPrefix("the schema has no tables of proxyship") == true)
        #expect(!connection.outline.contains("BEGIN"))
    }
}
