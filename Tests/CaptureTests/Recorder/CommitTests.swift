import Dispatch
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Synchronization
import Testing

@testable import Capture

/// Commits that readers ask for.
struct ReaderCommitTests {
    private let store = TemporaryStore()

    private final class Disk: Sendable {
        let isFull = Mutex(true)
    }

    /// Asks, and waits for the answer.
    private func ask(_ recorder: Recorder) {
        let answered = DispatchSemaphore(value: 0)
        recorder.commitSoon { answered.signal() }
        answered.wait()
    }

    /// Whether a question is answered before the call returns.
    private func isAnsweredImmediately(_ recorder: Recorder) -> Bool {
        let answers = CallCounter()
        recorder.commitSoon { answers.add() }
        return answers.count == 1
    }

    @Test(.timeLimit(.minutes(5)))
    func `exchanges recorded before a commit request can be read once the request completes`()
        throws
    {
        let recorder = try store.recorder()
        for number in 1...20 {
            let id = recorder.recordSample("/\(number)")
            ask(recorder)
            #expect(try store.reader().row(id)?.path == "/\(number)")
        }
        recorder.stop()
    }

    @Test(.timeLimit(.minutes(5))) func `waiting commit requests are completed by a single commit`()
        throws
    {
        let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let commits = CallCounter()
        var configuration = RecorderConfiguration.forTests
        configuration.durability = .always
        configuration.faults = RecorderFaults(commitResult: {
            if commits.add() == 1 {
                entered.signal()
                mayGoOn.wait()
            }
            return 0
        })
        let recorder = try store.recorder(configuration)
        recorder.recordSample("/first")
        entered.wait()
        let id = recorder.recordSample("/second")
        let answers = DispatchGroup()
        for _ in 0..<3 {
            answers.enter()
            recorder.commitSoon { answers.leave() }
        }
        mayGoOn.signal()
        answers.wait()
        #expect(commits.count == 2)
        #expect(try store.reader().row(id)?.path == "/second")
        recorder.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func `a commit request with nothing to commit completes immediately`() throws {
        let recorder = try store.recorder()
        #expect(isAnsweredImmediately(recorder))
        recorder.recordSample("/a")
        try recorder.flush()
        #expect(isAnsweredImmediately(recorder))
        recorder.stop()
        #expect(isAnsweredImmediately(recorder))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a request to commit is answered even while the store cannot be written to`() async throws
    {
        let disk = Disk()
        var configuration = RecorderConfiguration.forTests
        configuration.faults = RecorderFaults(commitResult: { disk.isFull.withLock { $0 } ? 13 : 0 }
        )
        let recorder = try store.recorder(configuration)
        let id = recorder.recordSample("/a")
        ask(recorder)
        while recorder.status.state == .recording { try await Task.sleep(for: .milliseconds(5)) }
        #expect(isAnsweredImmediately(recorder))
        #expect(try store.reader().row(id) == nil)
        disk.isFull.withLock { $0 = false }
        recorder.stop()
        #expect(try store.reader().row(id) != nil)
    }
}

/// What power failure can undo is made safe within a second, the commit that does so included.
struct FullSyncIntervalTests {
    @Test(
        arguments: [
            (0, 800), (100, 800), (150, 700), (250, 500), (4_000, 500), (-1, 800),
        ] as [(Int64, Int64)])
    func `full syncs to disk are more frequent if commits are slow`(
        commitMs: Int64, intervalMs: Int64
    ) {
        var interval = FullSyncInterval()
        #expect(interval.ns == 800_000_000)
        interval.note(commitNs: commitMs &* 1_000_000)
        #expect(interval.ns == intervalMs * 1_000_000)
        interval.note(commitNs: 1_000_000)
        #expect(interval.ns == 800_000_000)
    }
}

@Suite struct `A recorder that is killed` {
    let store = TemporaryStore()

    @Test func `killing the recorder loses no committed exchange and marks open ones as failed`()
        async throws
    {
        let path = store.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let recorder = try Recorder(
                directory: DataDirectory(path: path), configuration: .forTests)
            for number in 0..<500 {
                recorder.recordSample(
                    "/done/\(number)", responseBody: [UInt8](repeating: 1, count: number * 20))
            }
            recorder.record(Samples.begun(recorder.nextExchangeID(), "/open"))
            try recorder.flush()
            // On its way when the end comes: may be there or not, but never half.
            for number in 0..<5_000 { recorder.recordSample("/late/\(number)?a=1") }
            kill(getpid(), SIGKILL)
        }
        let recorder = try store.recorder()
        #expect(recorder.status.interruptedCount == 1)
        let reader = try store.reader()
        #expect(try reader.integrityCheck().isEmpty)
        let rows = try reader.rows(.oldest, limit: 10_000)
        #expect(rows.filter { $0.path?.hasPrefix("/done/") == true }.count == 500)
        for row in rows where row.path?.hasPrefix("/done/") == true {
            let number = try #require(row.path?.split(separator: "/").last.flatMap { Int($0) })
            #expect(try reader.exchange(row.id)?.response?.body.kept.count == number * 20)
        }
        let open = try #require(rows.first { $0.path == "/open" })
        #expect(open.state == .failed)
        #expect(
            open.error == "proxy shutdown: recorder stopped before the exchange ended")
        #expect(recorder.recordSample() > rows.map(\.id).max() ?? open.id)
        recorder.stop()
        #expect(try store.sql("SELECT count(*) FROM exchange WHERE state = 0") == ["0"])
    }
}
