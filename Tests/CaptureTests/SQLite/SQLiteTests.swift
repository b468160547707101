import Foundation
import ProxydCaptureModel
import ProxydTestSupport
import Testing

@testable import Capture

/// The layer over SQLite: what goes in comes out, and what fails says why.
@Suite struct `SQLite connections and statements` {
    private let database: SQLiteConnection

    init() throws { database = try SQLiteConnection(path: ":memory:", .writing) }

    private static let values: [SQLValue] = [
        .null, .integer(.min), .integer(0), .integer(.max), .real(-0.5), .real(.infinity),
        .text(""), .text("ä\0b"), .blob([]), .blob([0, 0xFF, 0]),
    ]

    @Test(arguments: values)
    func `every SQLite value is read back as it was bound`(value: SQLValue) throws {
        #expect(try database.rows("SELECT ?", [value]) { $0.value(0) } == [value])
    }

    @Test func `reading a SQLite column as the wrong type gives nil`() throws {
        let row = try database.first("SELECT 7, 'text', x'0001', NULL, 0.5, 9") { row in
            (
                integers: (0..<7).map(row.integer), texts: (0..<7).map(row.text),
                bytes: (0..<7).map(row.bytes)
            )
        }
        #expect(row?.integers == [7, nil, nil, nil, nil, 9, nil])
        #expect(row?.texts == [nil, "text", nil, nil, nil, nil, nil])
        #expect(row?.bytes == [nil, Array("text".utf8), [0, 1], nil, nil, nil, nil])
    }

    @Test func `SQLite text that is not UTF-8 is repaired, and its bytes can still be read`() throws
    {
        let (text, bytes) = try #require(
            try database.first("SELECT CAST(x'61FF62' AS TEXT)") { ($0.text(0), $0.bytes(0)) })
        #expect(text == "a\u{FFFD}b")
        #expect(bytes == [0x61, 0xFF, 0x62])
    }

    @Test func `an error from a SQLite statement has SQLite's code and message`() throws {
        let error = #expect(throws: StoreError.self) { try database.execute("SELEC 1") }
        #expect(error == .sqlite(code: 1, message: "near \"SELEC\": syntax error"))
        try database.execute("CREATE TABLE t (a UNIQUE)")
        try database.run("INSERT INTO t VALUES (?)", [.integer(1)])
        let twice = #expect(throws: StoreError.self) {
            try database.run("INSERT INTO t VALUES (?)", [.integer(1)])
        }
        #expect(twice == .sqlite(code: 2067, message: "UNIQUE constraint failed: t.a"))
    }

    @Test func `a SQLite statement that failed can run again`() throws {
        try database.execute("CREATE TABLE t (a UNIQUE)")
        let insertion = try database.statement("INSERT INTO t VALUES (?)")
        for (value, isTaken) in [(1, true), (1, false), (2, true)] {
            insertion.bind([.integer(Int64(value))])
            #expect(((try? insertion.run()) != nil) == isTaken)
        }
        #expect(try database.integers("SELECT a FROM t ORDER BY a") == [1, 2])
        #expect(try database.statement("INSERT INTO t VALUES (?)") === insertion)
    }

    @Test func `a SQLite statement can be stopped after some rows and run again`() throws {
        let statement = try SQLiteStatement(database, "VALUES (1), (2), (3)")
        for _ in 0..<2 {
            var seen: [Int64?] = []
            try statement.takeRows(while: { row in
                seen.append(row.integer(0))
                return seen.count < 2
            })
            #expect(seen == [1, 2])
        }
    }

    @Test func `a SQLite transaction whose closure throws is rolled back`() throws {
        try database.execute("CREATE TABLE t (a)")
        #expect(throws: StoreError.cancelled) {
            try database.transaction(.immediate) { () throws(StoreError) in
                try database.execute("INSERT INTO t VALUES (1)")
                throw .cancelled
            }
        }
        #expect(!database.isInTransaction)
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a SQLite statement still works after its connection was closed`() throws {
        let statement = try SQLiteStatement(database, "SELECT 1")
        database.close()
        database.close()
        #expect(try statement.first { $0.integer(0) } == 1)
    }

    @Test func `failing to open a SQLite database reports SQLite's code and message`() {
        let error = #expect(throws: StoreError.self) {
            try SQLiteConnection(path: "/nowhere/at/all", .reading)
        }
        #expect(error == .sqlite(code: 14, message: "unable to open database file"))
    }
}

/// Connections to a file that someone else writes.
@Suite struct `Shared SQLite connections` {
    private let path = NSTemporaryDirectory() + "proxyd-sqlite-" + UUID().uuidString

    private func withFile(
        _ body: (SQLiteConnection, SharedConnection) throws -> Void
    ) throws {
        defer {
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        }
        let writer = try SQLiteConnection(
            path: path, .writing,
            setUp: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try body(writer, try SharedConnection(path: path))
    }

    private static let count = "SELECT count(*) FROM t"

    @Test func `a read of a SQLite database sees a single snapshot, whatever is written meanwhile`()
        throws
    {
        try withFile { writer, reader in
            let counts = try reader.read { database in
                let before = try database.integer(Self.count)
                try writer.execute("INSERT INTO t VALUES (2)")
                return [before, try database.integer(Self.count)]
            }
            #expect(counts == [1, 1])
            let newest = try reader.use { try $0.integer(Self.count) }
            #expect(newest == 2)
        }
    }

    @Test func `a shared SQLite connection can be used after a read failed`() throws {
        try withFile { _, reader in
            #expect(throws: StoreError.self) { try reader.read { try $0.execute("SELECT b") } }
            #expect(throws: StoreError.self) { try reader.read { try $0.execute("DELETE FROM t") } }
            let count = try reader.read { try $0.integer(Self.count) }
            #expect(count == 1)
        }
    }

    @Test func `counting the pages of a SQLite WAL turns off automatic checkpoints`() throws {
        try withFile { writer, reader in
            writer.countLoggedPages()
            try writer.execute("INSERT INTO t VALUES (zeroblob(20000000))")
            #expect(writer.loggedPageCount > 4_000)
            try reader.read { database in
                _ = try database.integer(Self.count)
                try writer.execute("INSERT INTO t VALUES (2)")
                #expect(try !writer.checkpoint(.truncating))
            }
            #expect(try writer.checkpoint(.truncating))
        }
    }
}
