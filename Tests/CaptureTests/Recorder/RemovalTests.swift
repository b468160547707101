@testable import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Synchronization
import Testing

@Suite struct `Annotating, clearing and keeping` {
    let store = TemporaryStore()

    @Test func `an exchange's note, tags and pin can be set, changed and removed`() throws {
        let recorder = try store.recorder()
        let id = recorder.recordSample()
        try recorder.annotate(
            AnnotationChange(id: id, note: "look", addedTags: ["b", "a", "b"], isPinned: true))
        var row = try #require(try store.reader().row(id))
        #expect(row.note == "look")
        #expect(row.tags == ["b", "a"])
        #expect(row.isPinned)
        try recorder.annotate(
            AnnotationChange(id: id, addedTags: ["ü\"'\\"], removedTags: ["b"]))
        row = try #require(try store.reader().row(id))
        #expect(row.note == "look")
        #expect(row.tags == ["a", "ü\"'\\"])
        #expect(row.isPinned)
        try recorder.annotate(AnnotationChange(id: id, note: "", isPinned: false))
        row = try #require(try store.reader().row(id))
        #expect(row.note == nil)
        #expect(!row.isPinned)
        #expect(try store.reader().annotations(of: id).tags == row.tags)
        recorder.stop()
    }

    @Test func `annotating an exchange that does not exist is an error`() throws {
        let recorder = try store.recorder()
        #expect(throws: StoreError.notFound(99)) {
            try recorder.annotate(AnnotationChange(id: ExchangeID(rawValue: 99), note: "x"))
        }
        #expect(recorder.status.state == .recording)
        recorder.stop()
    }

    @Test func `clearing keeps pinned exchanges unless all are to be cleared`() throws {
        let recorder = try store.recorder()
        let ids = (0..<1_000).map { recorder.recordSample("/\($0)?a=b") }
        try recorder.annotate(AnnotationChange(id: ids[500], isPinned: true))
        #expect(try recorder.clear(.exchanges([ids[3], ids[4], ExchangeID(rawValue: 9_999)])) == 2)
        #expect(try recorder.clear(.unpinned) == 997)
        #expect(try store.reader().rows(.oldest, limit: 9).map(\.id) == [ids[500]])
        #expect(try recorder.clear(.all) == 1)
        #expect(recorder.status.exchangeCount == 0)
        for table in ["exchange", "content", "parameter", "body_piece", "annotation", "tag"] {
            #expect(try store.sql("SELECT count(*) FROM \(table)") == ["0"], "\(table)")
        }
        recorder.stop()
    }

    @Test
    func `clearing exchanges removes exactly the given numbers, whatever their order and gaps`()
        throws
    {
        let recorder = try store.recorder()
        let ids = (0..<1_500).map {
            recorder.recordSample("/\($0)?a=b", responseBody: [UInt8](repeating: 1, count: 300))
        }
        let kept = Set([0, 7, 8, 499, 500, 501, 998, 1_000, 1_499].map { ids[$0] })
        let gone = ids.filter { !kept.contains($0) }.shuffled()
        #expect(try recorder.clear(.exchanges(gone + gone.prefix(5))) == Int64(gone.count))
        recorder.stop()
        let sorted = kept.sorted { $0.rawValue < $1.rawValue }
        #expect(try store.reader().rows(.oldest, limit: 99).map(\.id) == sorted)
        let numbers = sorted.map { "\($0.rawValue)" }
        for table in ["content", "parameter"] {
            #expect(
                try store.sql("SELECT exchange_id FROM \(table) ORDER BY 1") == numbers, "\(table)")
        }
    }

    /// A damaged store may have exchanges of such numbers.
    @Test func `clearing the lowest and highest possible numbers removes no other exchanges`()
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.recordSample()
        let ends = [ExchangeID(rawValue: .min), ExchangeID(rawValue: .max)]
        #expect(try recorder.clear(.exchanges(ends + ends)) == 0)
        recorder.stop()
        #expect(try store.reader().exchange(id)?.response?.body.kept == Array("hello".utf8))
    }

    @Test func `clearing large bodies is split into several transactions`() throws {
        let commits = Mutex(0)
        var configuration = RecorderConfiguration.forTests
        configuration.faults = RecorderFaults(
            commitResult: {
                commits.withLock { $0 += 1 }
                return 0
            })
        let recorder = try store.recorder(configuration)
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        for number in 0..<24 { recorder.recordSample("/\(number)", responseBody: bytes) }
        try recorder.flush()
        let before = commits.withLock { $0 }
        #expect(try recorder.clear(.all) == 24)
        #expect(commits.withLock { $0 } - before >= 6)
        recorder.stop()
    }

    @Test func `no file of the store contains bytes of cleared exchanges`() throws {
        let recorder = try store.recorder()
        let secret = "canary-4711-secret"
        for number in 0..<300 {
            recorder.recordSample(
                "/\(number)?token=\(secret)", fields: [("Authorization", "Bearer \(secret)")],
                responseBody: Array(String(repeating: secret, count: number).utf8))
        }
        try recorder.flush()
        #expect(try recorder.clear(.all) == 300)
        let files = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
        for name in files {
            let data = try Data(
                contentsOf: URL(fileURLWithPath: store.directory.path + "/" + name))
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
        #expect(recorder.status.storeByteCount < 500_000)
        recorder.stop()
    }

    @Test func `updates of an exchange that was cleared are ignored`() throws {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        recorder.record(Samples.begun(id))
        #expect(try recorder.clear(.all) == 1)
        recorder.record(Samples.later(id, .complete))
        try recorder.flush()
        #expect(try store.reader().row(id) == nil)
        #expect(try store.reader().exchangeCount() == 0)
        recorder.stop()
    }

    @Test func `imported exchanges get new numbers and keep everything else`() throws {
        let recorder = try store.recorder()
        let original = recorder.recordSample("/x?y=z", method: "POST", requestBody: [1, 2])
        try recorder.annotate(AnnotationChange(id: original, note: "n", addedTags: ["t"]))
        let exchange = try #require(try store.reader().exchange(original))
        let ids = try recorder.numbers(storing: [exchange, exchange])
        #expect(ids.count == 2)
        #expect(ids[0] < ids[1])
        let copy = try #require(try store.reader().exchange(ids[1]))
        #expect(copy.request == exchange.request)
        #expect(copy.response == exchange.response)
        #expect(copy.timeline == exchange.timeline)
        #expect(copy.annotations == exchange.annotations)
        #expect(try store.reader().parameters(of: ids[0]).count == 1)
        recorder.stop()
    }

    @Test(.timeLimit(.minutes(10))) func `retention keeps the newest and the pinned exchanges`()
        async throws
    {
        let first = try store.recorder()
        let ids = (0..<600).map { first.recordSample("/\($0)") }
        try first.annotate(AnnotationChange(id: ids[0], isPinned: true))
        first.stop()
        var configuration = RecorderConfiguration.forTests
        configuration.retention = RetentionPolicy(exchangeCountMax: 10)
        let recorder = try store.recorder(configuration)
        while recorder.status.exchangeCount > 10 { try await Task.sleep(for: .milliseconds(5)) }
        recorder.stop()
        let kept = try store.reader().rows(.oldest, limit: 100).map(\.id)
        #expect(kept == [ids[0]] + ids.suffix(9))
    }

    @Test(.timeLimit(.minutes(10)))
    func `retention removes exchanges that are older than the maximum age`() async throws {
        let first = try store.recorder()
        first.recordSample("/old")
        let young = first.nextExchangeID()
        let now = Int64(Date().timeIntervalSince1970) * 1_000_000_000
        first.record(Samples.complete(young, "/young", wallStart: now))
        first.stop()
        var configuration = RecorderConfiguration.forTests
        configuration.retention = RetentionPolicy(ageMaxSeconds: 3_600)
        let recorder = try store.recorder(configuration)
        while recorder.status.exchangeCount > 1 { try await Task.sleep(for: .milliseconds(5)) }
        recorder.stop()
        #expect(try store.reader().rows(.oldest, limit: 9).map(\.path) == ["/young"])
    }

    @Test(.timeLimit(.minutes(10))) func `retention with a size limit removes older exchanges`()
        async throws
    {
        let first = try store.recorder()
        for number in 0..<400 {
            first.recordSample("/\(number)", responseBody: [UInt8](repeating: 1, count: 10_000))
        }
        first.stop()
        #expect(first.status.storeByteCount > 4_000_000)
        var configuration = RecorderConfiguration.forTests
        configuration.retention = RetentionPolicy(storeByteCountMax: 1_000_000)
        let recorder = try store.recorder(configuration)
        while recorder.status.exchangeCount > 150 { try await Task.sleep(for: .milliseconds(5)) }
        recorder.stop()
        #expect(try store.reader().row(ExchangeID(rawValue: 400)) != nil)
        #expect(try store.reader().integrityCheck().isEmpty)
    }
}
