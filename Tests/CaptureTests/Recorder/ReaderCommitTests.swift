@testable import Capture
import Dispatch
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Synchronization
import Testing

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
    func `a commit request completes even while nothing can be written`() async throws {
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
