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
