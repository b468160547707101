@testable import Capture
import Testing

/// A column of a database that holds numbers.
struct NumberColumn: Sendable, CustomTestStringConvertible {
    /// The lowest and the highest number, and one that nobody counts to.
    static let extremes = [Int64.min, -1, Int64.max]

    let table: String
    let name: String

    var testDescription: String { "\(table).\(name)" }

    /// All of a store.
    static let ofStores: [NumberColumn] = {
        let store = TemporaryStore()
        guard let recorder = try? store.recorder() else { return [] }
        recorder.stop()
        return (try? all(in: store.directory.storePath)) ?? []
    }()

    /// All of a file.
    static func all(in path: String) throws -> [NumberColumn] {
        var columns: [NumberColumn] = []
        try OtherProgram.edit(path) { database in
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

    /// Sets it in as many rows as may have the same.
    func set(_ number: Int64, in path: String) throws {
        try OtherProgram.edit(path) {
            try $0.run("UPDATE OR IGNORE \(table) SET \(name) = \(number)")
        }
    }
}
