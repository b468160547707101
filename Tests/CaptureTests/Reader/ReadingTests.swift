import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@testable import Capture

@Suite struct `Reading rows` {
    let store = TemporaryStore()

    private func filled(_ count: Int) throws -> [ExchangeID] {
        let recorder = try store.recorder()
        let ids = (0..<count).map { recorder.recordSample("/\($0)", host: "h\($0 % 7).test") }
        recorder.stop()
        return ids
    }

    @Test(arguments: ["path~^/nowhere", "host=nowhere.test", "url:nowhere"])
    func `a filter that matches nothing reports steadily rising progress up to 1`(_ text: String)
        throws
    {
        let ids = try filled(3_000)
        let reader = try store.reader()
        let filter = try Filter.parse(text)
        for direction in [PageDirection.newest, .oldest, .after(ids[2]), .before(ids[2_000])] {
            var shares: [Double] = []
            let rows = try reader.rows(matching: filter, direction, limit: 10) {
                shares.append($0)
            }
            #expect(rows.isEmpty)
            #expect(shares == shares.sorted())
            #expect(shares.allSatisfy { (0...1).contains($0) })
            #expect(shares.last == 1)
        }
    }

    @Test func `rows can be paged forward and backward from any exchange`() throws {
        let ids = try filled(1_234)
        let reader = try store.reader()
        #expect(try reader.rows(.newest, limit: 3).map(\.id) == ids.suffix(3).reversed())
        #expect(try reader.rows(.oldest, limit: 3).map(\.id) == Array(ids.prefix(3)))
        #expect(try reader.rows(.before(ids[10]), limit: 4).map(\.id) == ids[6..<10].reversed())
        #expect(try reader.rows(.after(ids[10]), limit: 4).map(\.id) == Array(ids[11..<15]))
        #expect(try reader.rows(.before(ids[0]), limit: 4).isEmpty)
        #expect(try reader.rows(.after(ids[1_233]), limit: 4).isEmpty)
        #expect(try reader.rows(.oldest, limit: 0).isEmpty)
        #expect(try reader.rows(.oldest, limit: 5_000).map(\.id) == ids)
        #expect(try reader.rows(.newest, limit: 5_000).map(\.id) == ids.reversed())
        #expect(try reader.lastExchangeID() == ids.last)
        #expect(
            try reader.rows([ids[5], ExchangeID(rawValue: 99_999), ids[2]]).map(\.id)
                == [ids[5], ids[2]])
    }

    @Test func `paging through a filtered list returns every matching row once`() throws {
        let ids = try filled(3_000)
        let reader = try store.reader()
        let filter = try Filter.parse("host=h3.test")
        let expected = ids.enumerated().filter { $0.offset % 7 == 3 }.map(\.element)
        #expect(try reader.rows(matching: filter, .oldest, limit: 10_000).map(\.id) == expected)
        var paged: [ExchangeID] = []
        var direction = PageDirection.newest
        while true {
            let page = try reader.rows(matching: filter, direction, limit: 37)
            paged += page.map(\.id)
            guard page.count == 37, let last = page.last else { break }
            direction = .before(last.id)
        }
        #expect(paged == expected.reversed())
    }

    @Test func `filter conditions that SQL cannot evaluate are applied to exchanges in memory`()
        throws
    {
        _ = try filled(800)
        let reader = try store.reader()
        let filter = try Filter.parse("path~^/7[0-9]$ resheader.content-type:plain")
        #expect(
            try reader.rows(matching: filter, .oldest, limit: 100).map(\.path)
                == (70...79).map { "/\($0)" })
    }

    @Test func `an empty store has no rows`() throws {
        _ = try filled(0)
        #expect(try store.reader().rows(.newest, limit: 10).isEmpty)
        #expect(try store.reader().lastExchangeID() == nil)
    }

    @Test func `an open reader does not keep the WAL from being truncated`() throws {
        var configuration = RecorderConfiguration.forTests
        configuration.checkpointByteCount = 200_000
        let recorder = try store.recorder(configuration)
        let reader = try store.reader()
        for _ in 0..<20 {
            for _ in 0..<50 {
                recorder.recordSample(responseBody: [UInt8](repeating: 3, count: 8_000))
            }
            try recorder.flush()
            _ = try reader.rows(.newest, limit: 10)
        }
        #expect(recorder.status.walByteCount < 4_000_000)
        #expect(try reader.exchangeCount() == 1_000)
        recorder.stop()
    }
}

@Suite struct `Cancelled reads` {
    let store = TemporaryStore()

    private func reader() throws -> StoreReader {
        let recorder = try store.recorder()
        for index in 0..<50 { _ = recorder.recordSample("/\(index)", host: "a.test") }
        recorder.stop()
        return try store.reader()
    }

    @Test func `a store read that starts after it was cancelled fails`() throws {
        let reader = try reader()
        let cancellation = ReadCancellation()
        cancellation.cancel()
        #expect(throws: StoreError.cancelled) {
            try cancellation.run { try reader.rows(.newest, limit: 1) }
        }
        #expect(try reader.rows(.newest, limit: 1).count == 1)
    }

    @Test func `cancelling interrupts a running SQL statement, and the reader can still be used`()
        throws
    {
        let reader = try reader()
        let cancellation = ReadCancellation()
        // Gives rows forever.
        let endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        #expect(throws: StoreError.cancelled) {
            try cancellation.run {
                try reader.read { database in
                    try SQLiteStatement(database, endless).forEachRow { _ in
                        cancellation.cancel()
                    }
                }
            }
        }
        #expect(try reader.exchangeCount() == 50)
    }

    @Test func `a cancelled read does not affect other reads of the store`() throws {
        let reader = try reader()
        let cancellation = ReadCancellation()
        let count = try cancellation.run { try reader.exchangeCount() }
        cancellation.cancel()
        #expect(count == 50)
        #expect(try reader.count(matching: try Filter.parse("host=a.test")) == 50)
    }
}
