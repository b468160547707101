@testable import Capture
import Foundation

/// A number in a column of a store, which no program of ours writes there.
struct NumberDamage {
    /// The ends of all numbers.
    static let extremes = [Int64.min, Int64.max]

    let table: String
    let column: String
    let number: Int64

    /// All columns of numbers in the tables that rows and exchanges are read from, each with a
    /// number.
    static func all(_ number: Int64, in directory: DataDirectory) throws -> [NumberDamage] {
        let connection = try StoreConnection(path: directory.storePath)
        defer { connection.close() }
        return try columns(connection).map {
            NumberDamage(table: $0.table, column: $0.column, number: number)
        }
    }

    private static func columns(
        _ connection: StoreConnection
    ) throws(StoreError) -> [(table: String, column: String)] {
        let statement = try SQLiteStatement(
            connection.handle,
            """
            SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
            WHERE t.name IN ('exchange', 'connection', 'content', 'annotation', 'store_state')
              AND c.type = 'INTEGER'
            """)
        var columns: [(table: String, column: String)] = []
        try statement.forEachRow { row in
            let names = [0, 1].map { String(decoding: row.columnOctets($0), as: UTF8.self) }
            columns.append((names[0], names[1]))
        }
        return columns
    }

    /// Copies a store and sets the number in as many rows as may have the same.
    func applied(to sound: DataDirectory, in path: String) throws -> DataDirectory {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: sound.path, toPath: path)
        let directory = DataDirectory(path: path)
        try NumberDamage.execute(
            "UPDATE OR IGNORE \(table) SET \(column) = \(number)", in: directory)
        return directory
    }

    static func execute(_ sql: String, in directory: DataDirectory) throws {
        let connection = try StoreConnection(path: directory.storePath)
        defer { connection.close() }
        try connection.execute("PRAGMA ignore_check_constraints = ON; \(sql)")
    }
}
