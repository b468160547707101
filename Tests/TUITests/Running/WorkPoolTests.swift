import ProxydCaptureModel
import ProxydHTTPModel
import ProxydOperations
import Synchronization
import Testing

@testable import Capture
@testable import ProxydTUI

struct WorkPoolTests {
    /// Counts what was done.
    private final class Tally: Sendable {
        let count = Mutex(0)
    }

    private func ticket(_ generation: Int) -> WorkTicket {
        WorkTicket(
            screen: 1, slot: "annotate", generation: generation, isQuiet: false, isKept: true,
            isActing: false)
    }

    @Test func `changes made by the user are carried out before the terminal interface exits`()
        throws
    {
        let folder = TemporaryFolder()
        let directory = DataDirectory(path: folder.path)
        var configuration = RecorderConfiguration()
        configuration.freeSpaceFloorByteCount = 0
        try Recorder(directory: directory, configuration: configuration).stop()
        let services = Services(
            openStore: { try StoreReader(directory: directory) }, waitForChange: { false },
            now: { 0 })
        let pool = WorkPool(try MessageQueue(), services)
        let kept = Tally()
        for generation in 1...20 {
            pool.start(
                ticket(generation),
                Work("annotate", on: .actions, isKept: true) { _ in
                    kept.count.withLock { $0 += 1 }
                    return .notice(nil)
                })
        }
        pool.end(waitSecondsMax: 60)
        #expect(kept.count.withLock { $0 } == 20)
    }

    @Test
    func `a background task fails if no thread can be started, and exiting does not wait for it`()
        throws
    {
        let services = Services(
            openStore: { throw StoreError.stopped }, waitForChange: { false }, now: { 0 })
        let queue = try MessageQueue()
        // No system has room for such a stack.
        let pool = WorkPool(queue, services, stackByteCount: 1 << 60)
        for generation in 1...2 {
            pool.start(
                ticket(generation),
                Work("annotate", on: .actions, isKept: true) { _ in .notice(nil) }
            )
        }
        pool.cancel(ticket(1))
        pool.end(waitSecondsMax: 600)
        let told = queue.take().messages.map { message in
            switch message {
            case .news(let ticket, .failure(let words)):
                "\(ticket.generation) \(ticket.slot) \(words)"
            case .ended(let ticket): "\(ticket.generation) ended"
            default: "\(message)"
            }
        }
        let words = "annotate the system cannot start a thread (see ulimit -u)"
        #expect(told == ["1 \(words)", "1 ended", "2 \(words)", "2 ended"])
    }
}

struct WatcherTests {
    private struct NoDaemon: StatusReporting {
        func facts() -> StatusFacts {
            Issue.record("asked without a thread of its own")
            return StatusFacts()
        }
    }

    @Test func `if no thread can be started, the terminal interface reports what it cannot update`()
        throws
    {
        var hostActions = HostActions()
        hostActions.statusReporting = NoDaemon()
        let services = Services(
            openStore: { throw StoreError.stopped },
            waitForChange: {
                Issue.record("waited without a thread of its own")
                return false
            }, hostActions: hostActions, now: { 0 })
        let queue = try MessageQueue()
        // No system has room for such a stack.
        let watcher = Watcher(queue, services, stackByteCount: 1 << 60)
        watcher.start()
        watcher.end()
        let notices = queue.take().messages.compactMap { message in
            if case .notice(let notice) = message { notice } else { nil }
        }
        let cause = "the system cannot start a thread (see ulimit -u)"
        #expect(
            notices == [
                .problem("new exchanges are not shown: \(cause)"),
                .problem("the daemon's status is not known: \(cause)"),
            ])
    }
}
