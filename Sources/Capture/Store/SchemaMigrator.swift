internal import GRDB
internal import GRDBSQLite
internal import ProxydCaptureModel

/// Brings a database to this program's schema, all at once or not at all.
enum SchemaMigrator {
    /// Migrates; throws `StoreError.newerSchema`, `.foreignFile` or what a damaged header makes of
    /// it before anything is written.
    static func migrate(_ queue: DatabaseQueue, path: String) throws {
        try queue.writeWithoutTransaction { database in
            let found = try version(of: database, path: path)
            if found == 0 {
                // Both can only be set while the file is empty.
                try database.execute(
                    sql: """
                        PRAGMA page_size = \(Schema.pageByteCount);
                        PRAGMA auto_vacuum = INCREMENTAL;
                        """)
            }
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            guard found < Schema.version else { return }
            // The versions's numbers are part of the transaction: a crash leaves old or new.
            try database.inTransaction(.immediate) {
                for migration in Schema.migrations[found...] {
                    try database.execute(sql: migration)
                }
                try database.execute(
                    sql: """
                        PRAGMA application_id = \(Schema.applicationID);
                        PRAGMA user_version = \(Schema.version);
                        """)
                return .commit
            }
        }
    }

    /// The schema version of a file; 0 for an empty one.
    static func version(of database: Database, path: String) throws -> Int {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let tableCount = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if tableCount == 0, application == 0, found == 0 { return 0 }
        guard application == Schema.applicationID, found >= 1 else {
            guard let handle = database.sqliteConnection, try SchemaCheck.hasOwn(handle) else {
                throw StoreError.foreignFile(path: path)
            }
            throw StoreError.sqlite(
                code: SQLITE_CORRUPT, message: "the store's header is damaged")
        }
        guard found <= Schema.version else {
            throw StoreError.newerSchema(path: path, found: found, supported: Schema.version)
        }
        return found
    }
}
