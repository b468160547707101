import ProxydCaptureModel

@testable internal import Capture

/// A database as any other program can change it.
public struct UncheckedDatabase {
    private let database: SQLiteConnection

    /// Opens a file, has it changed without any of its checks, and closes it.
    public static func edit(_ path: String, _ body: (UncheckedDatabase) throws -> Void) throws {
        try body(
            UncheckedDatabase(
                database: SQLiteConnection(
                    path: path, .writing,
                    setUp: "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")))
    }

    /// The same, with statements.
    public static func edit(_ path: String, _ sql: String) throws {
        try edit(path) { try $0.run(sql) }
    }

    /// Runs statements.
    public func run(_ sql: String) throws { try database.execute(sql) }

    /// The texts of each row of a query.
    public func columns(_ sql: String) throws -> [[String]] {
        try database.rows(sql) { row in
            row.values.map { value in
                switch value {
                case .text(let text): text
                case .integer(let integer): "\(integer)"
                case .real(let real): "\(real)"
                case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
                case .null: ""
                }
            }
        }
    }
}

/// A column of a database that holds numbers, in which some program may have written any.
public struct NumberColumn: Sendable, CustomStringConvertible {
    /// The ends of all numbers.
    public static let ends = [Int64.min, Int64.max]
    /// These, and one that no one counts to.
    public static let extremes = [Int64.min, -1, Int64.max]

    /// Its table.
    public let table: String
    /// Its own name.
    public let name: String

    /// A column that is there.
    public init(table: String, name: String) {
        self.table = table
        self.name = name
    }

    /// `table.name`
    public var description: String { "\(table).\(name)" }

    /// All of a file.
    public static func all(in path: String) throws -> [NumberColumn] {
        var columns: [NumberColumn] = []
        try UncheckedDatabase.edit(path) { database in
            columns = try database.columns(
                """
                SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
                WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'
                  AND c.type = 'INTEGER' AND t.name NOT LIKE '%\\_%idx' ESCAPE '\\'
                """
            ).map { NumberColumn(table: $0[0], name: $0[1]) }
        }
        return columns
    }

    /// Those of a store that rows and exchanges are read from.
    public static func read(from store: String) throws -> [NumberColumn] {
        let tables = ["exchange", "connection", "content", "annotation", "store_state"]
        return try all(in: store).filter { tables.contains($0.table) }
    }

    /// Each column with one of the numbers, in turn: all combinations would take minutes.
    public static func inTurn(
        _ columns: [NumberColumn], _ numbers: [Int64]
    ) -> [(column: NumberColumn, number: Int64)] {
        columns.enumerated().map { (column: $1, number: numbers[$0 % numbers.count]) }
    }

    /// Sets a number in as many rows as may have the same.
    public func set(_ number: Int64, in path: String) throws {
        try UncheckedDatabase.edit(path) {
            try $0.run("UPDATE OR IGNORE \(table) SET \(name) = \(number)")
        }
    }
}
