@testable import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Synchronization
import Testing

@Suite struct `A disk that fails` {
    let store = TemporaryStore()

    /// A switch that a test turns and the recorder looks at.
    private final class Fault: Sendable {
        let free = Mutex<Int64>(.max)
        let result = Mutex<Int32>(0)
    }

    private func configuration(_ fault: Fault) -> RecorderConfiguration {
        var configuration = RecorderConfiguration()
        configuration.queueByteCountMax = 100_000
        configuration.faults = RecorderFaults(
            freeByteCount: { fault.free.withLock { $0 } },
            commitResult: { fault.result.withLock { $0 } })
        return configuration
    }

    /// Waits until the status is as wanted; the recorder looks again by itself.
    private func wait(
        _ recorder: Recorder, until isWanted: (RecorderStatus) -> Bool
    ) async throws {
        while !isWanted(recorder.status) { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(.timeLimit(.minutes(10)))
    func `recording pauses when the disk is full and resumes by itself when it has room`()
        async throws
    {
        let fault = Fault()
        let recorder = try store.recorder(configuration(fault))
        fault.result.withLock { $0 = 13 }
        let id = recorder.recordSample("/during", responseBody: [UInt8](repeating: 1, count: 100))
        try await wait(recorder) { $0.state == .paused(.diskFull) }
        #expect(recorder.status.lastError != nil)
        #expect(throws: StoreError.self) { try recorder.flush() }
        #expect(!recorder.isCongested)
        fault.result.withLock { $0 = 0 }
        try await wait(recorder) { $0.state == .recording }
        try recorder.flush()
        #expect(try store.reader().row(id)?.path == "/during")
        recorder.stop()
        #expect(try store.reader().integrityCheck().isEmpty)
    }

    @Test(.timeLimit(.minutes(10)))
    func `recording pauses while free disk space is below the configured minimum`() async throws {
        let fault = Fault()
        let seen = SeenStates()
        var configuration = configuration(fault)
        configuration.onPauseChange = { seen.add($0) }
        let recorder = try store.recorder(configuration)
        fault.free.withLock { $0 = 1_000 }
        try await wait(recorder) { $0.state == .paused(.diskFull) }
        let words = "has 1000 B free, less than the 268 MB of recording.free_space_floor_byte_count"
        #expect(recorder.status.lastError?.hasSuffix(words) == true)
        fault.free.withLock { $0 = .max }
        try await wait(recorder) { $0.state == .recording }
        recorder.stop()
        #expect(seen.states == [.paused(.diskFull), .recording])
    }

    /// The states that a recorder reports.
    private final class SeenStates: Sendable {
        private let all = Mutex<[RecorderStatus.State]>([])

        var states: [RecorderStatus.State] { all.withLock { $0 } }

        func add(_ status: RecorderStatus) { all.withLock { $0.append(status.state) } }
    }

    @Test(.timeLimit(.minutes(10)))
    func `updates of one exchange are merged while recording is paused`() async throws {
        let fault = Fault()
        let recorder = try store.recorder(configuration(fault))
        fault.free.withLock { $0 = 1_000 }
        try await wait(recorder) { $0.state == .paused(.diskFull) }
        let id = recorder.nextExchangeID()
        recorder.record(Samples.begun(id))
        var last = Samples.later(id, .complete)
        last.responseHead = Samples.responseHead()
        last.responseBody.set([1, 2, 3])
        recorder.record(last)
        fault.free.withLock { $0 = .max }
        try await wait(recorder) { $0.state == .recording }
        try recorder.flush()
        // Only an exchange that is written as a whole has its body in its row, and no pieces.
        #expect(try store.sql("SELECT hex(response_body) FROM content") == ["010203"])
        #expect(try store.sql("SELECT count(*) FROM body_piece") == ["0"])
        #expect(try store.reader().exchange(id)?.response?.body.kept == [1, 2, 3])
        recorder.stop()
    }

    @Test(.timeLimit(.minutes(10)))
    func `bodies and exchanges that are dropped while recording is paused are counted`()
        async throws
    {
        let fault = Fault()
        let recorder = try store.recorder(configuration(fault))
        let open = recorder.nextExchangeID()
        recorder.record(Samples.begun(open))
        var update = Samples.later(open)
        update.responseBody.append([1, 2, 3], total: 3)
        recorder.record(update)
        try recorder.flush()
        fault.result.withLock { $0 = 13 }
        var ids: [ExchangeID] = []
        for _ in 0..<1_000 {
            ids.append(recorder.recordSample(responseBody: [UInt8](repeating: 1, count: 10_000)))
        }
        update = Samples.later(open)
        update.responseBody.append([4, 5], total: 5)
        recorder.record(update)
        update = Samples.later(open, .complete)
        update.responseBody.append([6], total: 6, isComplete: true)
        recorder.record(update)
        try await wait(recorder) { $0.state == .paused(.diskFull) }
        let status = recorder.status
        #expect(status.droppedBodyByteCount > 0)
        #expect(status.droppedExchangeCount > 0)
        #expect(status.queueByteCount <= 420_000)
        fault.result.withLock { $0 = 0 }
        try await wait(recorder) { $0.state == .recording }
        try recorder.flush()
        let reader = try store.reader()
        let rows = try reader.rows(.oldest, limit: 2_000)
        #expect(Int64(rows.count) + status.droppedExchangeCount == 1_001)
        #expect(rows.contains { $0.responseKeptByteCount < $0.responseBodyByteCount })
        let exchange = try #require(try reader.exchange(open))
        #expect(exchange.state == .complete)
        #expect(exchange.response == nil || exchange.response?.body.byteCount == 6)
        let kept = try #require(try reader.row(open)).responseKeptByteCount
        #expect(kept == 3, "what comes behind a gap is left out")
        recorder.stop()
    }

    @Test(.timeLimit(.minutes(10)))
    func `recording pauses after a write error and then resumes with nothing lost`() async throws {
        let fault = Fault()
        let recorder = try store.recorder(configuration(fault))
        let open = recorder.nextExchangeID()
        recorder.record(Samples.begun(open, "/open"))
        try recorder.flush()
        // SQLITE_IOERR_FSYNC
        fault.result.withLock { $0 = 1034 }
        let id = recorder.recordSample("/during")
        try await wait(recorder) { $0.state == .paused(.ioError) }
        fault.result.withLock { $0 = 0 }
        try await wait(recorder) { $0.state == .recording }
        recorder.record(Samples.later(open, .complete))
        try recorder.flush()
        #expect(try store.reader().row(id)?.path == "/during")
        #expect(try store.reader().row(open)?.state == .complete)
        recorder.stop()
        #expect(try store.reader().integrityCheck().isEmpty)
    }
}
