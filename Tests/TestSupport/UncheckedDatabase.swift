internal import GRDB

/// A database as any other program can change it.
public struct UncheckedDatabase {
    private let database: Database

    /// Opens a file, has it changed without any of its checks, and closes it.
    public static func edit(_ path: String, _ body: (UncheckedDatabase) throws -> Void) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try body(UncheckedDatabase(database: $0)) }
        try queue.close()
    }

    /// The same, with statements.
    public static func edit(_ path: String, _ sql: String) throws {
        try edit(path) { try $0.run(sql) }
    }

    /// Runs statements.
    public func run(_ sql: String) throws { try database.execute(sql: sql) }

    /// The texts of each row of a query.
    public func columns(_ sql: String) throws -> [[String]] {
        try Row.fetchAll(database, sql: sql).map { row in
            row.databaseValues.map { String.fromDatabaseValue($0) ?? "" }
        }
    }
}
