import Testing

@testable import ProxydCentralStore

/// The SQL that makes a team's schema, and what the team's roles may do (docs/FLEET.md, "Teams and
/// roles").
@Suite struct TeamSchemaTests {
    private func sql(_ team: String = "web", days: Int? = nil) throws -> String {
        try #require(TeamSchema.sql(team: team, retentionAgeDays: days))
    }

    // MARK: Names

    @Test(arguments: [
        "a", "web", "w2_b", "publicity", "pg", "pgweb", String(repeating: "z", count: 40),
    ])
    func `a team name may have lower-case letters, digits and underscores`(team: String) throws {
        let sql = try sql(team)
        #expect(sql.contains("CREATE SCHEMA IF NOT EXISTS \"\(team)\";\n"))
        #expect(sql.contains("CREATE ROLE \(team)_writer NOLOGIN;\n"))
    }

    @Test(arguments: [
        "", "Web", "wEb", "1web", "_web", "web-1", "web team", " web", "web ", "web\n", "wéb",
        "we\u{301}b", "web;", "web'", "web\"", "web$", "web\u{0}", "public", "pg_web", "pg_",
        "information_schema",
        "a\"; DROP SCHEMA x; --", "a'||x||'", "a$migrate$", String(repeating: "z", count: 41),
    ])
    func `team names that would need quotes or that PostgreSQL reserves are rejected`(team: String)
    {
        #expect(TeamSchema.sql(team: team, retentionAgeDays: nil) == nil)
    }

    // MARK: Tables

    @Test func `a team's schema is created in one transaction that takes a lock`() throws {
        let sql = try sql()
        #expect(
            sql.hasPrefix(
                "BEGIN;\nSELECT pg_advisory_xact_lock(hashtext('web.schema'));\nDO $role$ BEGIN\n"))
        #expect(sql.hasSuffix(";\nCOMMIT;"))
        #expect(sql.ranges(of: "BEGIN;").count == 1 && sql.ranges(of: "COMMIT;").count == 1)
    }

    @Test func `setting up a team's schema creates the tables only if the schema has none`() throws
    {
        let tables = CentralSchema.migrations.joined() + CentralAdditions.sql(after: .none)
        let migrations = tables.split(separator: "\n").map { "    \($0)\n" }.joined()
        let block = """
            SET LOCAL search_path = "web", pg_temp;
            DO $migrate$
            BEGIN
              IF to_regclass('"web".store_version') IS NULL THEN
            \(migrations)    UPDATE store_version SET version = 1;
              END IF;
            END $migrate$;

            """
        #expect(try sql().contains(block))
        #expect(try sql().ranges(of: "$migrate$").count == 2)
        #expect(!migrations.contains("$migrate$"))
    }

    @Test func `the SQL that sets up a team creates each of its four roles once and without login`()
        throws
    {
        for role in ["owner", "writer", "reader", "annotator"] {
            let sql = try sql()
            #expect(sql.ranges(of: "CREATE ROLE web_\(role) NOLOGIN;").count == 1)
            #expect(sql.contains("WHERE rolname = 'web_\(role)') THEN\n"))
        }
        #expect(try sql().ranges(of: "CREATE ROLE ").count == 4)
    }

    @Test func `the SQL of one team never names another team`() throws {
        let (web, ops) = (try sql("webteam"), try sql("opsteam"))
        #expect(!ops.contains("webteam"))
        #expect(web.replacing("webteam", with: "opsteam") == ops)
    }

    @Test(arguments: [1, 30, 36_500])
    func `a team's new retention period is set for all of its existing shippers`(days: Int) throws {
        let sql = try sql(days: days)
        #expect(
            sql.hasSuffix(";\nUPDATE shipper SET retention_age_days = \(days);\nCOMMIT;"))
        #expect(
            try sql.replacing("UPDATE shipper SET retention_age_days = \(days);\n", with: "")
                == self.sql())
    }

    // MARK: Rights

    /// The statements that grant or revoke, on one line each.
    private func rights() throws -> [String] {
        try sql().split(separator: ";").map { statement in
            statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }.filter { $0.hasPrefix("GRANT ") || $0.hasPrefix("REVOKE ") }
    }

    @Test func `users without a team role have no rights in the team's schema`() throws {
        let rights = try rights()
        #expect(
            rights.prefix(2) == [
                "REVOKE ALL ON SCHEMA \"web\" FROM PUBLIC",
                "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA \"web\" FROM PUBLIC",
            ])
        #expect(!rights.dropFirst(2).contains { $0.contains("PUBLIC") })
        // Functions that run with the rights of the owner are all made before.
        let sql = try sql()
        let last = try #require(sql.ranges(of: "CREATE FUNCTION ").last)
        let revoked = try #require(sql.firstRange(of: "FROM PUBLIC;"))
        #expect(last.upperBound < revoked.lowerBound)
    }

    @Test func `a team's writer role may read only IDs, start times and annotations of exchanges`()
        throws
    {
        let read = try rights().filter { $0.contains("SELECT") && $0.contains("TO web_writer") }
        #expect(
            read == [
                "GRANT SELECT, INSERT, UPDATE ON shipper, rejected TO web_writer",
                "GRANT SELECT ON store_version TO web_writer",
                "GRANT SELECT (shipper_no) ON proto_file TO web_writer",
                "GRANT SELECT (id, started_at, started_ns, note, tags, pinned, annotated_at), "
                    + "UPDATE (note, tags, pinned, annotated_at) ON exchange TO web_writer",
                "GRANT SELECT (exchange_id, started_at) ON content, body_piece, body_text, "
                    + "parameter, message, applied_rule TO web_writer",
                "GRANT SELECT (id, started_at) ON connection TO web_writer",
                "GRANT INSERT, SELECT (digest) ON certificate_chain TO web_writer",
            ])
    }

    @Test
    func `a team's writer role may insert and delete exchanges and create and drop day tables`()
        throws
    {
        let rights = try rights()
        #expect(
            rights.contains(
                "GRANT INSERT, DELETE ON exchange, content, body_piece, body_text, parameter, "
                    + "message, applied_rule, connection, proto_file TO web_writer"))
        let executed = rights.filter { $0.contains("EXECUTE") && !$0.contains("web_owner") }
        #expect(
            executed == [
                "GRANT EXECUTE ON FUNCTION make_day(date), drop_days(date) TO web_writer",
                "GRANT EXECUTE ON FUNCTION readable_text(bytea) TO web_reader",
            ])
    }

    @Test
    func `team readers may only read, annotators may also annotate, owners may do everything`()
        throws
    {
        let rights = try rights()
        #expect(
            rights.filter { $0.hasSuffix("TO web_reader") } == [
                "GRANT EXECUTE ON FUNCTION readable_text(bytea) TO web_reader",
                "GRANT SELECT ON ALL TABLES IN SCHEMA \"web\" TO web_reader",
            ])
        #expect(
            rights.filter { $0.hasSuffix("TO web_annotator") } == [
                "GRANT web_reader TO web_annotator",
                "GRANT UPDATE (note, tags, pinned, annotated_at) ON exchange TO web_annotator",
            ])
        #expect(
            rights.filter { $0.contains("web_owner") } == [
                "GRANT ALL ON SCHEMA \"web\" TO web_owner",
                "GRANT ALL ON ALL TABLES IN SCHEMA \"web\" TO web_owner",
                "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \"web\" TO web_owner",
            ])
    }
}
