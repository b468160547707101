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

    /// Sets a number in as many rows as may have the same.
    public func set(_ number: Int64, in path: String) throws {
        try UncheckedDatabase.edit(path) {
            try $0.run("UPDATE OR IGNORE \(table) SET \(name) = \(number)")
        }
    }
}
