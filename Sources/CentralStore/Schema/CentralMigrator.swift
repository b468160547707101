/// Makes the tables of a central store and brings older ones up to date.
package struct CentralMigrator {
    private let connection: any CentralConnection

    /// Creates a migrator for the schema that comes first in the connection's search path.
    package init(_ connection: any CentralConnection) { self.connection = connection }

    /// Migrates the schema if necessary. Programs that start at the same time take turns.
    package func migrate() throws(CentralError) {
        if try version() == CentralSchema.version { return }
        try requireSchema()
        try connection.transaction { () throws(CentralError) in
            try connection.run(
                "SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.schema'))")
            try setPath()
            let found = try version()
            guard found <= CentralSchema.version else { throw newer(found) }
            for migration in CentralSchema.migrations.dropFirst(Int(max(found, 0))) {
                try connection.execute(migration)
            }
            if found == 0 { try connection.execute(CentralAdditions.sql(after: .none)) }
            try connection.run(
                "UPDATE store_version SET version = $1::bigint", [.integer(CentralSchema.version)])
        }
    }

    /// Makes the additions that the schema lacks, in one transaction. Needs its owner's rights.
    /// - Returns: False if it had all of them.
    package func upgrade() throws(CentralError) -> Bool {
        try check()
        return try connection.transaction { () throws(CentralError) in
            // Rather give up than let every program wait behind this one.
            try connection.run("SET LOCAL lock_timeout = '10s'")
            try connection.run(
                "SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.schema'))")
            try setPath()
            let sql = CentralAdditions.sql(after: try CentralAdditions(of: connection))
            guard !sql.isEmpty else { return false }
            try connection.execute(sql)
            return true
        }
    }

    /// Functions that are made keep this path: temporary tables of who calls them come last.
    private func setPath() throws(CentralError) {
        try connection.run(
            """
            SELECT set_config('search_path',
              quote_ident(current_schema()) || ', pg_temp', true)
            """)
    }

    /// Checks that the schema is one that this program reads.
    package func check() throws(CentralError) {
        let found = try version()
        guard found > 0 else {
            throw .location(
                "the schema has no tables of proxyship; name the team's schema in the URI "
                    + "(?options=-csearch_path%3DTEAM), or make it with proxyship init")
        }
        guard found <= CentralSchema.version else { throw newer(found) }
    }

    private func newer(_ found: Int64) -> CentralError {
        .location(
            "the schema has version \(found), newer than this program's \(CentralSchema.version)")
    }

    /// The version of the schema; 0 if it has no tables yet.
    private func version() throws(CentralError) -> Int64 {
        let isThere = try connection.first(
            "SELECT to_regclass(quote_ident(current_schema()) || '.store_version') IS NOT NULL"
        ) { $0.integer(0) }
        guard isThere == 1 else { return 0 }
        return try connection.first("SELECT version FROM store_version") { $0.integer(0) } ?? 0
    }

    /// Nothing is put into `public`, where every team's programs would find it.
    private func requireSchema() throws(CentralError) {
        let name = try connection.first("SELECT current_schema()::text") { $0.text(0) }
        guard let name, name != "public" else {
            throw .location(
                "the URI names no schema of a team; add ?options=-csearch_path%3DTEAM, "
                    + "and make the schema with proxyship init --team TEAM")
        }
    }
}

/// Columns that a central store may have in addition to those of its version.
///
/// The store's owner adds them with `proxyship upgrade` while older programs keep running: those
/// neither read nor write the columns, which are NULL in what they deliver. A change that older
/// programs cannot tolerate gets a new version instead, which they refuse.
package struct CentralAdditions: Sendable, Hashable {
    /// How many sets of columns have been added; 0 for a store that 0.2.0 made.
    package let count: Int64

    /// All additions that this program knows.
    package static let all = CentralAdditions(count: Int64(migrations.count))
    /// None, as 0.2.0 made stores.
    package static let none = CentralAdditions(count: 0)

    /// Whether nothing that this program knows is missing.
    var isWhole: Bool { count >= CentralAdditions.all.count }
    /// Whether the store has `received_status`, `received_body_bytes` and the times of holds.
    var hasReceivedStatus: Bool { count >= 1 }

    /// As JSON, because the column itself is missing before the first addition.
    static let question = "SELECT (to_jsonb(v) ->> 'additions')::integer FROM store_version v"

    /// Reads which additions the store has that comes first in the search path.
    package init(of connection: any CentralConnection) throws(CentralError) {
        let found = try connection.first(CentralAdditions.question) { $0.integer(0) }
        self.init(count: found ?? 0)
    }

    private init(count: Int64) { self.count = count }

    /// Brings a store without any addition to the first, then each to the next.
    private static let migrations = [
        """
        ALTER TABLE exchange ADD COLUMN received_status integer;
        ALTER TABLE exchange ADD COLUMN received_body_bytes bigint;
        ALTER TABLE exchange ADD COLUMN held_ns bigint;
        ALTER TABLE applied_rule ADD COLUMN hold_start_ns bigint;
        ALTER TABLE applied_rule ADD COLUMN hold_ns bigint;
        \(CentralViews.exchanges(replacing: true, hasReceivedStatus: true))
        \(CentralSchema.makeDay("CREATE OR REPLACE"))
        """
    ]

    /// The SQL that makes the additions that a store lacks; empty if it has all. New columns are
    /// NULL in existing rows, so it takes no longer for a full store.
    package static func sql(after found: CentralAdditions) -> String {
        let missing = migrations.dropFirst(Int(clamping: max(0, found.count)))
        guard !missing.isEmpty else { return "" }
        return """
            ALTER TABLE store_version
              ADD COLUMN IF NOT EXISTS additions integer NOT NULL DEFAULT 0;
            \(missing.joined(separator: "\n"))
            UPDATE store_version SET additions = \(all.count);

            """
    }

    /// The text of a statement as this store can run it: columns that it lacks are NULL.
    func readable(_ sql: String) -> String {
        guard !hasReceivedStatus else { return sql }
        let lacking = [
            "exchange.received_status": "NULL::integer",
            "exchange.received_body_bytes": "NULL::bigint",
            "exchange.held_ns": "NULL::bigint",
            "applied_rule.hold_start_ns": "NULL::bigint",
            "applied_rule.hold_ns": "NULL::bigint",
        ]
        return lacking.reduce(sql) { $0.replacing($1.key, with: $1.value) }
    }
}

/// The SQL that makes a team's schema with its roles.
///
/// Each team has a PostgreSQL schema, and roles with grants on it. Row-level security is not used:
/// it forbids COPY to writers, and keeps readers from the index of URLs.
package enum TeamSchema {
    /// Returns the SQL, or nil if the name would need quotes.
    package static func sql(team: String, retentionAgeDays: Int?) -> String? {
        guard isName(team) else { return nil }
        let retention = retentionAgeDays.map { days in
            "UPDATE shipper SET retention_age_days = \(days);\n"
        }
        return """
            BEGIN;
            SELECT pg_advisory_xact_lock(hashtext('\(team).schema'));
            \(roles(team))
            CREATE SCHEMA IF NOT EXISTS "\(team)";
            SET LOCAL search_path = \(CentralSchema.searchPath(team));
            DO $migrate$
            BEGIN
              IF to_regclass('"\(team)".store_version') IS NULL THEN
            \(tables.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
                UPDATE store_version SET version = \(CentralSchema.version);
              END IF;
            END $migrate$;
            \(grants(team))
            \(retention ?? "")COMMIT;
            """
    }

    private static let tables =
        CentralSchema.migrations.joined() + CentralAdditions.sql(after: .none)

    private static func isName(_ team: String) -> Bool {
        guard let first = team.utf8.first, (0x61...0x7A).contains(first), team.utf8.count <= 40,
            !["public", "information_schema"].contains(team), !team.hasPrefix("pg_")
        else { return false }
        return team.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
    }

    private static func roles(_ team: String) -> String {
        ["owner", "writer", "reader", "annotator"].map { role in
            """
            DO $role$ BEGIN
              IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '\(team)_\(role)') THEN
                CREATE ROLE \(team)_\(role) NOLOGIN;
              END IF;
            END $role$;
            """
        }.joined(separator: "\n")
    }

    private static func grants(_ team: String) -> String {
        let parents = CentralSchema.dailyTables.joined(separator: ", ")
        return """
            REVOKE ALL ON SCHEMA "\(team)" FROM PUBLIC;
            REVOKE ALL ON ALL FUNCTIONS IN SCHEMA "\(team)" FROM PUBLIC;
            GRANT ALL ON SCHEMA "\(team)" TO \(team)_owner;
            GRANT ALL ON ALL TABLES IN SCHEMA "\(team)" TO \(team)_owner;
            GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "\(team)" TO \(team)_owner;
            GRANT USAGE ON SCHEMA "\(team)" TO \(team)_writer, \(team)_reader, \(team)_annotator;
            GRANT SELECT, INSERT, UPDATE ON shipper, rejected TO \(team)_writer;
            GRANT SELECT ON store_version TO \(team)_writer;
            GRANT INSERT, DELETE ON \(parents), proto_file TO \(team)_writer;
            GRANT SELECT (shipper_no) ON proto_file TO \(team)_writer;
            GRANT SELECT (id, started_at, started_ns, note, tags, pinned, annotated_at),
              UPDATE (note, tags, pinned, annotated_at) ON exchange TO \(team)_writer;
            GRANT SELECT (exchange_id, started_at)
              ON content, body_piece, body_text, parameter, message, applied_rule TO \(team)_writer;
            GRANT SELECT (id, started_at) ON connection TO \(team)_writer;
            GRANT INSERT, SELECT (digest) ON certificate_chain TO \(team)_writer;
            GRANT EXECUTE ON FUNCTION make_day(date), drop_days(date) TO \(team)_writer;
            GRANT EXECUTE ON FUNCTION readable_text(bytea) TO \(team)_reader;
            GRANT SELECT ON ALL TABLES IN SCHEMA "\(team)" TO \(team)_reader;
            GRANT \(team)_reader TO \(team)_annotator;
            GRANT UPDATE (note, tags, pinned, annotated_at) ON exchange TO \(team)_annotator;
            """
    }
}
