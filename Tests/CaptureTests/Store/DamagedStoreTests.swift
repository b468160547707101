import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@testable import Capture

/// Numbers that only a damaged file has: nothing overflows, and no one else's body is touched.
@Suite struct `Numbers no store can have` {
    let store = TemporaryStore()

    private func damage(_ sql: String) throws {
        try SQLiteConnection(path: store.directory.storePath, .writing).execute(sql)
    }

    private func recordHello() throws -> ExchangeID {
        let recorder = try store.recorder()
        let id = recorder.recordSample()
        recorder.stop()
        return id
    }

    @Test(arguments: [Int64.min, -1, Int64.max])
    func `corrupt numbers in a store's state do not prevent recording and clearing`(number: Int64)
        throws
    {
        let first = try recordHello()
        try damage(
            """
            UPDATE store_state SET exchange_count = \(number), last_exchange_id = \(number),
              last_connection_id = \(number), barrier_count = \(number)
            """)
        let recorder = try store.recorder()
        let second = recorder.recordSample()
        #expect(second.rawValue == first.rawValue + 1)
        #expect(try recorder.clear(.exchanges([first])) == 1)
        recorder.stop()
        #expect(try store.reader().rows(.oldest, limit: 9).map(\.id) == [second])
    }

    @Test(arguments: [Int64.min, -1, Int64.max])
    func `corrupt byte counts do not prevent retention from removing exchanges`(number: Int64)
        async throws
    {
        let first = try store.recorder()
        for _ in 0..<40 {
            first.recordSample(responseBody: [UInt8](repeating: 1, count: 10_000))
        }
        first.stop()
        try damage(
            "UPDATE exchange SET request_kept_bytes = \(number), response_kept_bytes = \(number)")
        var configuration = RecorderConfiguration.forTests
        configuration.retention = RetentionPolicy(storeByteCountMax: 1)
        let recorder = try store.recorder(configuration)
        while recorder.status.exchangeCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
        recorder.stop()
    }

    @Test(arguments: [Int64.min, -1, Int64.max])
    func `sums of corrupt byte counts saturate instead of overflowing`(number: Int64) throws {
        let recorder = try store.recorder()
        for _ in 0..<3 { recorder.recordSample() }
        recorder.stop()
        try damage(
            "UPDATE exchange SET request_body_bytes = \(number), response_body_bytes = \(number)")
        let reader = try store.reader()
        for filter in [Filter.everything, try Filter.parse("path~.")] {
            let summary = try reader.summary(matching: filter)
            #expect(summary.all.count == 3)
            let branches = try reader.branches(of: TreePath(), matching: filter)
            for count in [summary.all.byteCount, branches.all.byteCount] {
                #expect(number == -1 ? count == -6 : count == number)
            }
        }
    }

    /// The key of its pieces would be that of the exchange with the number's last bits.
    @Test(arguments: [Int64(1) << 36, 1 << 35, -1 << 36])
    func `a corrupt exchange number does not affect the bodies of other exchanges`(shift: Int64)
        throws
    {
        let recorder = try store.recorder()
        let whole = recorder.recordSample(responseBody: [UInt8](repeating: 1, count: 100_000))
        let odd = recorder.recordSample()
        recorder.stop()
        let damaged = ExchangeID(rawValue: shift | whole.rawValue)
        for (table, column) in [("exchange", "id"), ("content", "exchange_id")] {
            try damage(
                """
                UPDATE \(table) SET \(column) = \(damaged.rawValue)
                WHERE \(column) = \(odd.rawValue)
                """)
        }
        let again = try store.recorder()
        let next = again.recordSample(responseBody: [UInt8](repeating: 2, count: 100_000))
        #expect(next.rawValue == odd.rawValue + 1)
        try again.flush()
        #expect(try store.reader().exchange(damaged)?.response?.body.kept == Array("hello".utf8))
        #expect(try again.clear(.exchanges([damaged])) == 1)
        again.stop()
        let reader = try store.reader()
        for (id, byte) in [(whole, UInt8(1)), (next, 2)] {
            let kept = try reader.exchange(id)?.response?.body.kept
            #expect(kept == [UInt8](repeating: byte, count: 100_000))
        }
    }
}

/// A file that says it is a store, and has something else in a table's place.
@Suite struct `A schema that is not ours` {
    let store = TemporaryStore()

    private func recordHello() throws {
        let recorder = try store.recorder()
        recorder.recordSample()
        recorder.stop()
    }

    @Test(arguments: [
        "DROP TABLE exchange; CREATE TABLE exchange (id TEXT, started_ns TEXT)",
        """
        DROP TABLE exchange;
        CREATE VIEW exchange AS WITH RECURSIVE more(id) AS
          (SELECT 1 UNION ALL SELECT id + 1 FROM more) SELECT id FROM more
        """,
        "DROP VIEW exchanges", "DROP TABLE store_state",
    ])
    func `a store with a changed or missing table or view is rejected as damaged`(change: String)
        throws
    {
        try recordHello()
        try UncheckedDatabase.edit(store.directory.storePath, change)
        let error = try #require(throws: StoreError.self) { try store.reader() }
        #expect(error.description.hasSuffix("is damaged"))
    }

    @Test func `a store with additional tables and indexes can be read`() throws {
        try recordHello()
        try UncheckedDatabase.edit(
            store.directory.storePath,
            "CREATE TABLE mine (x); CREATE INDEX by_host ON exchange (host)")
        #expect(try store.reader().rows(.newest, limit: 9).count == 1)
    }
}

@Suite struct `A body of which a piece is elsewhere` {
    let store = TemporaryStore()

    /// Read from each position before it, the piece would come millions of times.
    @Test(.timeLimit(.minutes(1)))
    func `a stored body with a missing piece is read up to the gap`() throws {
        let recorder = try store.recorder()
        let body = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        let id = recorder.recordSample(responseBody: body)
        try recorder.flush()
        recorder.stop()
        func key(_ position: Int64) -> Int64 {
            Schema.ChunkKey.key(exchange: id.rawValue, part: .response, position: position)
        }
        try SQLiteConnection(path: store.directory.storePath, .writing).run(
            "UPDATE body_piece SET key = ? WHERE key = ?",
            [.integer(key(1_000_000)), .integer(key(1))])
        let kept = try #require(try store.reader().exchange(id)?.response?.body.kept)
        #expect(!kept.isEmpty)
        #expect(kept == Array(body.prefix(kept.count)))
        #expect(kept.count < body.count)
    }
}
