internal import Capture
internal import Foundation
internal import FuzzSupport
internal import GRDB
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
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            return try tables.flatMap { table in
                try database.columns(in: table).map { Column(table: table, name: $0.name) }
            }
        }
    }

    /// Octets of the file are others: three for the place, one for how many, then themselves.
    static func withOctets(_ input: inout FuzzInput) -> DataDirectory {
        var octets = sound
        while !input.rest.isEmpty {
            let place = (0..<3).reduce(0) { place, _ in place << 8 | Int(input.choice()) }
            for step in 0...(Int(input.choice()) & 0x0F) {
                octets[octets.startIndex + (place + step) % octets.count] = input.choice()
            }
        }
        orFail { try octets.write(to: URL(fileURLWithPath: directory.storePath)) }
        return directory
    }

    /// Values of the tables are others: one octet for the column, one for the row, one for the
    /// type, and a line.
    static func withValues(_ input: inout FuzzInput) -> DataDirectory {
        orFail { try sound.write(to: URL(fileURLWithPath: directory.storePath)) }
        var changes: [(column: Column, row: Int, value: DatabaseValue)] = []
        while !input.rest.isEmpty, changes.count < changeCountMax {
            let column = columns[Int(input.choice()) % columns.count]
            let row = Int(input.choice())
            changes.append((column, row, value(&input)))
        }
        orFail {
            try edit { database in
                for change in changes {
                    let table = change.column.table.quotedDatabaseIdentifier
                    let name = change.column.name.quotedDatabaseIdentifier
                    // A change that the schema refuses is none.
                    try? database.execute(
                        sql: """
                            UPDATE \(table) SET \(name) = ? WHERE rowid = (
                              SELECT rowid FROM \(table) LIMIT 1
                              OFFSET ? % max(1, (SELECT count(*) FROM \(table))))
                            """, arguments: [change.value, change.row])
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

    private static func value(_ input: inout FuzzInput) -> DatabaseValue {
        let type = input.choice()
        let octets = input.line()
        let number = octets.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch type % 5 {
        case 0: return .null
        case 1: return Int64(bitPattern: number).databaseValue
        case 2: return Double(bitPattern: number).databaseValue
        case 3: return String(decoding: octets, as: UTF8.self).databaseValue
        default: return Data(octets).databaseValue
        }
    }

    /// Writes into the store as any program may.
    private static func edit<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")
        }
        let queue = try DatabaseQueue(path: directory.storePath, configuration: configuration)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction(body)
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
