import Foundation
import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

@testable import Capture

@Suite struct `Opening a store` {
    let store = TemporaryStore()

    /// A store with one exchange, closed.
    private func prepared() throws {
        let recorder = try store.recorder()
        recorder.recordSample("/kept")
        recorder.stop()
    }

    private var file: URL { URL(fileURLWithPath: store.directory.storePath) }

    /// Changes bytes of the closed database file.
    private func overwrite(at offset: Int, _ bytes: [UInt8]) throws {
        var data = try Data(contentsOf: file)
        data.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        try data.write(to: file)
    }

    /// Makes the store a database that someone else could have made.
    private func replaceSchema(by sql: String) throws {
        let connection = try StoreConnection(path: store.directory.storePath)
        var drops = ""
        do {
            let statement = try SQLiteStatement(
                connection.database,
                "SELECT 'DROP ' || type || ' ' || name FROM sqlite_master "
                    + "WHERE type IN ('table', 'view')")
            try statement.forEachRow { drops += ($0.text(0) ?? "") + ";" }
        }
        try connection.execute(drops + sql)
        _ = try connection.checkpoint(isTruncating: true)
        connection.close()
    }

    @Test func `a new store has the current schema version and page size`() throws {
        try prepared()
        #expect(try store.sql("PRAGMA user_version") == ["10"])
        #expect(try store.sql("PRAGMA page_size") == ["16384"])
    }

    @Test func `a store with a newer schema is rejected and left unchanged`() throws {
        try prepared()
        // The user version stands at offset 60, big-endian.
        try overwrite(at: 60, [0, 0, 0, 11])
        let before = try Data(contentsOf: file)
        let expected = StoreError.newerSchema(
            path: store.directory.storePath, found: 11, supported: 10)
        #expect(throws: expected) { try store.recorder() }
        #expect(throws: expected) { try store.reader() }
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func `a database of another program is rejected and left unchanged`() throws {
        try prepared()
        try replaceSchema(
            by: "CREATE TABLE exchange (id INTEGER PRIMARY KEY); PRAGMA application_id = 4711")
        let before = try Data(contentsOf: file)
        #expect(throws: StoreError.foreignFile(path: store.directory.storePath)) {
            try store.recorder()
        }
        #expect(try Data(contentsOf: file) == before)
    }

    @Test(arguments: [60, 68])
    func `a store with a damaged header is moved aside and a new one is created`(
        offset: Int
    ) throws {
        try prepared()
        // The schema's version, of which there is no such, or the application id.
        try overwrite(at: offset, [0, 0, 0, 0])
        #expect(throws: StoreError.self) { try store.reader() }
        let recorder = try store.recorder()
        #expect(recorder.status.damagedStorePath != nil)
        recorder.recordSample("/after")
        recorder.stop()
        #expect(try store.sql("SELECT path FROM exchange") == ["/after"])
    }

    @Test func `a store with damaged table definitions is moved aside and a new one is created`()
        throws
    {
        try prepared()
        let data = try Data(contentsOf: file)
        let place = try #require(data.range(of: Data("request_kept_bytes".utf8)))
        try overwrite(at: place.lowerBound, Array("R".utf8))
        let recorder = try store.recorder()
        #expect(recorder.status.damagedStorePath != nil)
        recorder.recordSample("/after")
        recorder.stop()
        #expect(try store.sql("SELECT path FROM exchange") == ["/after"])
    }

    @Test func `a recorder does not treat a store with additional tables as damaged`() throws {
        try prepared()
        let connection = try StoreConnection(path: store.directory.storePath)
        try connection.execute("CREATE TABLE mine (a)")
        connection.close()
        let recorder = try store.recorder()
        #expect(recorder.status.damagedStorePath == nil)
        recorder.stop()
    }

    @Test func `a store file that is not a database is moved aside and a new store is created`()
        throws
    {
        try store.directory.prepare()
        let rubbish = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) })
        try rubbish.write(to: file)
        let recorder = try store.recorder()
        let aside = try #require(recorder.status.damagedStorePath)
        #expect(aside.hasPrefix(store.directory.storePath + ".corrupt-"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == rubbish)
        recorder.recordSample("/new")
        recorder.stop()
        #expect(try store.reader().rows(.oldest, limit: 9).map(\.path) == ["/new"])
        #expect(recorder.status.lastError?.contains("moved to") == true)
    }

    @Test func `a truncated store is moved aside and a new one is created`() throws {
        try prepared()
        let data = try Data(contentsOf: file)
        try data.prefix(data.count / 2).write(to: file)
        let recorder = try store.recorder()
        #expect(recorder.status.damagedStorePath != nil)
        recorder.recordSample()
        recorder.stop()
        #expect(try store.reader().integrityCheck().isEmpty)
    }

    @Test func `a new store is created after the old one was deleted`() throws {
        try prepared()
        try FileManager.default.removeItem(at: file)
        let recorder = try store.recorder()
        #expect(recorder.status.exchangeCount == 0)
        recorder.stop()
    }

    @Test(arguments: 0..<24)
    func `opening and reading a store with flipped bytes never crashes`(seed: Int) throws {
        let recorder = try store.recorder()
        for number in 0..<40 {
            recorder.recordSample(
                "/\(number)?a=\(number)&b=x",
                responseBody: [UInt8](repeating: 7, count: 300 * number))
        }
        recorder.stop()
        var data = try Data(contentsOf: file)
        var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        for _ in 0..<200 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            data[Int(truncatingIfNeeded: state >> 33) % data.count] ^=
                UInt8(
                    truncatingIfNeeded: state >> 56) | 1
        }
        try data.write(to: file)
        readAll()
        if let recorder = try? store.recorder() {
            recorder.recordSample("/after")
            recorder.stop()
        }
        readAll()
    }

    /// Reads everything there is, whatever it is.
    private func readAll() {
        guard let reader = try? store.reader() else { return }
        let rows = (try? reader.rows(.oldest, limit: 100)) ?? []
        for row in rows {
            _ = try? reader.exchange(row.id)
            _ = try? reader.parameters(of: row.id)
        }
        _ = try? reader.integrityCheck()
        _ = try? store.sql("SELECT * FROM exchanges")
    }
}
