import ProxydCaptureModel
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

struct WatcherTests {
    private struct NoDaemon: StatusReporting {
        func facts() -> StatusFacts {
            Issue.record("asked without a thread of its own")
            return StatusFacts()
        }
    }

    @Test func `if no thread can be started, the interface reports what it cannot update`() throws {
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
