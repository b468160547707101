@testable internal import Capture
internal import Foundation
internal import FuzzSupport
internal import ProxydCaptureModel
internal import StoreSupport

/// The sample store, changed as an input says.
enum DamagedStore {
    private static let changeCountMax = 32

    private struct Column {
        let table: String
        let name: String
    }

    private static let directory = orFail { try SampleExchanges.store() }
    private static let sound = orFail {
        try Data(contentsOf: URL(fileURLWithPath: directory.storePath))
    }
    /// Every column of the sample store.
    private static let columns: [Column] = orFail {
        try edit { database in
            try database.rows(
                """
                SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
                WHERE t.type = 'table' ORDER BY t.name, c.cid
                """
            ) { Column(table: $0.text(0) ?? "", name: $0.text(1) ?? "") }
        }
    }

    /// Bytes of the file are others: three for the place, one for how many, then themselves.
    static func withBytes(_ input: inout FuzzInput) -> DataDirectory {
        var bytes = sound
        while !input.rest.isEmpty {
            let place = (0..<3).reduce(0) { place, _ in place << 8 | Int(input.choice()) }
            for step in 0...(Int(input.choice()) & 0x0F) {
                bytes[bytes.startIndex + (place + step) % bytes.count] = input.choice()
            }
        }
        orFail { try bytes.write(to: URL(fileURLWithPath: directory.storePath)) }
        return directory
    }

    /// Values of the tables are others: one byte for the column, one for the row, one for the
    /// type, and a line.
    static func withValues(_ input: inout FuzzInput) -> DataDirectory {
        orFail { try sound.write(to: URL(fileURLWithPath: directory.storePath)) }
        var changes: [(column: Column, row: Int, value: SQLValue)] = []
        while !input.rest.isEmpty, changes.count < changeCountMax {
            let column = columns[Int(input.choice()) % columns.count]
            let row = Int(input.choice())
            changes.append((column, row, value(&input)))
        }
        orFail {
            try edit { database in
                for change in changes {
                    let (table, name) = (change.column.table, change.column.name)
                    // A change that the schema refuses is none.
                    try? database.run(
                        """
                        UPDATE "\(table)" SET "\(name)" = ? WHERE rowid = (
                          SELECT rowid FROM "\(table)" LIMIT 1
                          OFFSET ? % max(1, (SELECT count(*) FROM "\(table)")))
                        """, [change.value, .integer(Int64(change.row))])
                }
            }
        }
        return directory
    }

    /// Deletes what a recorder made of it.
    static func removeFiles() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names {
            try? FileManager.default.removeItem(atPath: directory.path + "/" + name)
        }
    }

    private static func value(_ input: inout FuzzInput) -> SQLValue {
        let type = input.choice()
        let bytes = input.line()
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch type % 5 {
        case 0: return .null
        case 1: return .integer(Int64(bitPattern: number))
        case 2: return .real(Double(bitPattern: number))
        case 3: return .text(String(decoding: bytes, as: UTF8.self))
        default: return .blob(Array(bytes))
        }
    }

    /// Writes into the store as any program may.
    private static func edit<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try body(
            SQLiteConnection(
                path: directory.storePath, .writing,
                setUp: "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF"))
    }

    private static func orFail<Value>(_ body: () throws -> Value) -> Value {
        do {
            return try body()
        } catch {
            // Without a store there is nothing to try.
            fatalError("the sample store: \(error)")
        }
    }
}
