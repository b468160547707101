/// Makes the tables of a central store and brings older ones up to date.
package struct CentralMigrator {
    private let connection: any CentralConnection

    /// Creates a migrator for the schema that comes first in the connection's search path.
    package init(_ connection: any CentralConnection) { self.connection = connection }

    /// Migrates the schema; does nothing if it is up to date. Programs that start at the same time
    /// take turns.
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
