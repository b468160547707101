@testable import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// Messages go with their exchange, and count as it does.
@Suite struct MessageRemovalTests {
    private let store = TemporaryStore()

    private func socket(_ recorder: Recorder, _ count: Int, byteCount: Int = 10) -> ExchangeID {
        let id = recorder.nextExchangeID()
        recorder.record(
            Samples.socket(
                id,
                (0..<count).map {
                    Samples.message(
                        Int64($0), .binary, .toClient,
                        bytes: [UInt8](repeating: 1, count: byteCount))
                }))
        return id
    }

    private func counts() throws -> [String] {
        try store.sql("SELECT key >> 28, count(*) FROM message GROUP BY 1 ORDER BY 1")
    }

    @Test func `clearing exchanges removes their messages and no others`() throws {
        let recorder = try store.recorder()
        let ids = (1...4).map { socket(recorder, $0) }
        try recorder.flush()
        #expect(try counts() == ["1|1", "2|2", "3|3", "4|4"])
        try recorder.annotate(AnnotationChange(id: ids[3], isPinned: true))
        #expect(try recorder.clear(.exchanges([ids[1]])) == 1)
        #expect(try counts() == ["1|1", "3|3", "4|4"])
        #expect(try store.reader().messages(of: ids[1], .oldest, limit: 9, byteCountMax: 9).isEmpty)
        #expect(try recorder.clear(.unpinned) == 2)
        #expect(try counts() == ["4|4"])
        #expect(try recorder.clear(.all) == 1)
        #expect(try counts() == [])
        recorder.stop()
    }

    @Test func `an exchange's stored size includes its bodies and its messages`() throws {
        let recorder = try store.recorder()
        let long = socket(recorder, 3, byteCount: 50_000)
        let plain = recorder.recordSample(responseBody: [UInt8](repeating: 1, count: 50))
        let stream = recorder.nextExchangeID()
        recorder.record(Samples.stream(stream, ["data: a\n\n", "data: b\n\n"]))
        recorder.stop()
        let database = try SQLiteConnection(path: store.directory.storePath, .reading)
        func byteCount(_ id: ExchangeID) throws -> Int64? {
            try database.integer(
                "SELECT \(StoredByteCount.sql) FROM exchange WHERE id = ?",
                [.integer(id.rawValue)])
        }
        #expect(try byteCount(long) == 3 * (50_000 + 40))
        #expect(try byteCount(plain) == 50)
        // Those that are a part of the body are there once, with a row each.
        #expect(try byteCount(stream) == 18 + 2 * 40)
    }

    @Test(.timeLimit(.minutes(10)))
    func `size-based retention counts messages and removes them together with their exchange`()
        async throws
    {
        var configuration = RecorderConfiguration.forTests
        configuration.retention = RetentionPolicy(storeByteCountMax: 3 << 20)
        let recorder = try store.recorder(configuration)
        for _ in 0..<20 {
            _ = socket(recorder, 10, byteCount: 100_000)
            try recorder.flush()
        }
        while recorder.status.exchangeCount > 4 { try await Task.sleep(for: .milliseconds(5)) }
        // Room may still be made: what is read twice below must not change between.
        recorder.stop()
        let rows = try store.reader().rows(.oldest, limit: 100)
        #expect(rows.last?.id.rawValue == 20)
        let kept = try counts().compactMap { $0.split(separator: "|").first.flatMap { Int64($0) } }
        #expect(kept == rows.map(\.id.rawValue))
    }

    @Test func `an active exchange is cleared or kept together with its messages`() throws {
        let recorder = try store.recorder()
        let open = recorder.nextExchangeID()
        recorder.record(Samples.socket(open, [Samples.message(0, "a")], state: .active))
        _ = socket(recorder, 2)
        try recorder.flush()
        #expect(try recorder.clear(.unpinned) >= 1)
        var update = Samples.later(open)
        update.messages = [Samples.message(1, "b")]
        recorder.record(update)
        recorder.record(Samples.later(open, .complete))
        try recorder.flush()
        let isKept = try store.reader().row(open) != nil
        #expect(try counts() == (isKept ? ["1|2"] : []))
        recorder.stop()
    }
}
