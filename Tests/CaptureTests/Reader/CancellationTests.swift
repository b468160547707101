import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@testable import Capture

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
