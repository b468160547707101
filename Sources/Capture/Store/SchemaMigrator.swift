internal import ProxydCaptureModel

/// Migrates a database to this program's schema, completely or not at all.
enum SchemaMigrator {
    /// Migrates the database. Throws `StoreError.newerSchema`, `.foreignFile` or the error of a
    /// damaged header before anything is written.
    static func migrate(_ database: SQLiteConnection, path: String) throws(StoreError) {
        let found = try version(of: database, path: path)
        if found == 0 {
            // Both can only be set while the file is empty.
            try database.execute(
                """
                PRAGMA page_size = \(Schema.pageByteCount);
                PRAGMA auto_vacuum = INCREMENTAL;
                """)
        }
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        guard found < Schema.version else { return }
        // The version numbers are part of the transaction: after a crash the store is either old or
        // new.
        let migrations = Schema.migrations[found...].joined(separator: ";\n")
        try database.transaction(.immediate) { () throws(StoreError) in
            try database.execute(
                """
                \(migrations);
                PRAGMA application_id = \(Schema.applicationID);
                PRAGMA user_version = \(Schema.version);
                """)
        }
    }

    /// The schema version of a file; 0 if it is empty.
    static func version(
        of database: SQLiteConnection, path: String
    ) throws(StoreError) -> Int {
        let application = try database.integer("PRAGMA application_id") ?? 0
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        let tableCount = try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
        if tableCount == 0, application == 0, found == 0 { return 0 }
        guard application == Int64(Schema.applicationID), found >= 1 else {
            guard try SchemaCheck.hasOwn(database) else { throw .foreignFile(path: path) }
            throw .damaged("the store's header is damaged")
        }
        guard found <= Schema.version else {
            throw .newerSchema(path: path, found: found, supported: Schema.version)
        }
        return found
    }
}
