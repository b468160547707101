import GRDB

/// What any other program can do to a file.
struct OtherProgram {
    private let database: Database

    static func edit(_ path: String, _ body: (OtherProgram) throws -> Void) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try body(OtherProgram(database: $0)) }
        try queue.close()
    }

    static func edit(_ path: String, _ sql: String) throws {
        try edit(path) { try $0.run(sql) }
    }

    func run(_ sql: String) throws { try database.execute(sql: sql) }

    /// The texts of each row of a query.
    func columns(_ sql: String) throws -> [[String]] {
        try Row.fetchAll(database, sql: sql).map { row in
            row.databaseValues.map { String.fromDatabaseValue($0) ?? "" }
        }
    }
}
