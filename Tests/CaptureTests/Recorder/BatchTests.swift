@testable import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Synchronization
import Testing

/// What is recorded together is written several rows to a statement.
@Suite struct `Recording many exchanges in one batch` {
    let store = TemporaryStore()

    /// The kinds differ in length, so that rows that go together end anywhere.
    private func update(_ number: Int, _ id: ExchangeID) -> ExchangeUpdate {
        let origin = "/\(number)?n=\(number)&kind=\(number % 7)"
        switch number % 7 {
        case 0: return Samples.begun(id, origin)
        case 1:
            return Samples.complete(
                id, origin, method: "POST",
                fields: [("Content-Type", "application/x-www-form-urlencoded")],
                requestBody: Array("a=\(number)&b=2&c=3".utf8))
        case 2:
            return Samples.complete(
                id, origin, responseBody: Array(repeating: UInt8(number), count: 9_000))
        case 3:
            var update = Samples.complete(id, origin)
            update.state = .failed
            update.responseHead = nil
            update.responseBody.set([])
            update.failure = ExchangeFailure(
                origin: .upstream, kind: .connectionRefused, message: "refused \(number)")
            return update
        default: return Samples.complete(id, origin, responseBody: Array("body \(number)".utf8))
        }
    }

    @Test func `exchanges that are recorded in one batch are read back separately and unchanged`()
        throws
    {
        let recorder = try store.recorder()
        let updates = (0..<150).map { update($0, recorder.nextExchangeID()) }
        for update in updates { recorder.record(update) }
        try recorder.flush()
        let reader = try store.reader()
        for update in updates {
            let exchange = try #require(try reader.exchange(update.id))
            #expect(exchange.state == update.state)
            #expect(exchange.request.url == update.url)
            #expect(exchange.request.head == update.requestHead)
            #expect(exchange.request.body.kept == update.requestBody.appended)
            #expect(exchange.response?.head == update.responseHead)
            #expect((exchange.response?.body.kept ?? []) == update.responseBody.appended)
            #expect(exchange.timeline == update.timeline)
            #expect(exchange.failure == update.failure)
        }
        let wrong = "SELECT count(*) FROM parameter p JOIN exchanges e ON e.id = p.exchange_id"
        #expect(try store.sql(wrong + " WHERE name = 'n' AND e.path <> '/' || value") == ["0"])
        #expect(try store.sql("SELECT count(*) FROM parameter WHERE name = 'kind'") == ["150"])
        let pairs = try store.sql(
            "SELECT name || '=' || value FROM parameter WHERE exchange_id = 2 ORDER BY 1")
        #expect(pairs == ["a=1", "b=2", "c=3", "kind=1", "n=1"])
        recorder.stop()
    }

    @Test func `an exchange that the store rejects does not affect others in its batch`() throws {
        let recorder = try store.recorder()
        let ids = (0..<20).map { _ in recorder.nextExchangeID() }
        for id in ids { recorder.record(Samples.complete(id, "/first?x=1")) }
        recorder.record(Samples.complete(ids[10], "/again?x=2"))
        try recorder.flush()
        #expect(recorder.status.droppedExchangeCount == 1)
        #expect(try store.sql("SELECT count(*) FROM exchanges WHERE path = '/first'") == ["20"])
        #expect(
            try store.sql("SELECT count(*), min(value), max(value) FROM parameter") == ["20|1|1"])
        recorder.stop()
    }

    /// An exchange that exists already makes the recorder write the batch one by one, and the disk
    /// is full in the middle of that.
    @Test(.timeLimit(.minutes(10)))
    func `exchanges that were written before the disk was full are not written again`() async throws
    {
        let commitCount = Mutex(0)
        var configuration = RecorderConfiguration.forTests
        configuration.faults = RecorderFaults(
            freeByteCount: nil,
            commitResult: {
                // The first is of the open ones; then come connections, six exchanges, a body.
                commitCount.withLock {
                    $0 += 1; return $0 == 10 ? 13 : 0
                }
            })
        let recorder = try store.recorder(configuration)
        let open = (0..<2).map { _ in recorder.nextExchangeID() }
        for id in open { recorder.record(Samples.begun(id, method: "POST")) }
        try recorder.flush()
        for id in open {
            var later = Samples.later(id)
            later.requestBody.append([1, 2, 3], total: 3)
            recorder.record(later)
        }
        let ids = (0..<6).map { recorder.recordSample("/\($0)") }
        recorder.record(Samples.complete(ids[0], "/again"))
        while (try? recorder.flush()) == nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(recorder.status.droppedExchangeCount == 1)
        #expect(recorder.status.queueByteCount == 0)
        #expect(commitCount.withLock { $0 } > 10)
        let reader = try store.reader()
        for id in open { #expect(try reader.exchange(id)?.request.body.kept == [1, 2, 3]) }
        for (number, id) in ids.enumerated() {
            #expect(try reader.row(id)?.path == "/\(number)")
        }
        recorder.stop()
        #expect(recorder.status.queueByteCount == 0)
    }

    @Test func `long interim responses and trailers in a batch stay with their own exchange`()
        throws
    {
        let recorder = try store.recorder()
        let ids = (0..<16).map { _ in recorder.nextExchangeID() }
        for (number, id) in ids.enumerated() {
            var update = Samples.complete(id, "/\(number)")
            if number == 3 {
                update.informational = [
                    Samples.responseHead(
                        103, "Early Hints",
                        fields: [("Link", String(repeating: "l", count: 200_000))])
                ]
            }
            if number == 4 {
                update.responseTrailers = HeaderFields([
                    (name: "Sum", value: String(repeating: "s", count: 3_000))
                ])
            }
            recorder.record(update)
        }
        try recorder.flush()
        let reader = try store.reader()
        for (number, id) in ids.enumerated() {
            let exchange = try #require(try reader.exchange(id))
            #expect(exchange.informational.count == (number == 3 ? 1 : 0))
            #expect((exchange.response?.trailers == nil) == (number != 4))
        }
        recorder.stop()
    }
}
