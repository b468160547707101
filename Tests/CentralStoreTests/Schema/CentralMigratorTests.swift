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

    @Test func `a schema that is up to date is left alone`() throws {
        schema(1)
        try migrator.migrate()
        #expect(connection.outline == ["SELECT to_regclass", "SELECT version"])
    }

    @Test func `an empty schema gets its tables in one transaction`() throws {
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

    @Test func `tables that another program made meanwhile are not made again`() throws {
        schema(nil, 1)
        try migrator.migrate()
        let expected =
            ["SELECT to_regclass", "SELECT current_schema"] + Self.begin
            + ["SELECT version", "UPDATE store_version", "COMMIT"]
        #expect(connection.outline == expected)
    }

    @Test func `a newer schema is refused and not changed`() {
        schema(2)
        #expect(throws: Self.newer) { try migrator.migrate() }
        #expect(connection.outline.last == "ROLLBACK")
        #expect(!connection.outline.contains("CREATE TABLE"))
        #expect(!connection.outline.contains("UPDATE store_version"))
        #expect(throws: Self.newer) { try migrator.check() }
    }

    @Test func `a schema that became newer meanwhile is not changed`() {
        schema(nil, 2)
        #expect(throws: Self.newer) { try migrator.migrate() }
        #expect(connection.outline.suffix(2) == ["SELECT version", "ROLLBACK"])
    }

    @Test(arguments: [[.text("public")], [.null]] as [[CentralValue]])
    func `tables are not put into the schema of all`(name: [CentralValue]) {
        schema(nil)
        connection.answer("SELECT current_schema()", .rows(name))
        let error = #expect(throws: CentralError.self) { try migrator.migrate() }
        #expect(error?.message.hasPrefix("the URI names no schema of a team") == true)
        #expect(connection.outline == ["SELECT to_regclass", "SELECT current_schema"])
    }

    @Test func `a migration that fails is rolled back`() {
        schema(nil)
        let error = CentralError.server(code: "42501", message: "permission denied")
        connection.answer("CREATE TABLE store_version", .failure(error))
        #expect(throws: error) { try migrator.migrate() }
        #expect(connection.outline.suffix(2) == ["CREATE TABLE", "ROLLBACK"])
    }

    @Test func `an upgrade adds the columns that a store lacks, in one transaction`() throws {
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

    @Test func `a store with all columns is not changed by an upgrade`() throws {
        schema(1)
        #expect(try !migrator.upgrade())
        #expect(!connection.outline.contains("ALTER TABLE"))
    }

    @Test func `a program reads only a schema with tables`() throws {
        schema(1)
        try migrator.check()
        connection.answer("to_regclass(quote_ident", .rows([.boolean(false)]))
        let error = #expect(throws: CentralError.self) { try migrator.check() }
        #expect(error?.message.hasPrefix("the schema has no tables of proxyship") == true)
        #expect(!connection.outline.contains("BEGIN"))
    }
}
