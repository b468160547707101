internal import Synchronization
internal import ProxydSystem

/// Tells the drawing thread of changes of the store, and how daemon and store are.
final class Watcher: Sendable {
    /// Status is asked at most so often: it wakes the daemon.
    private static let statusPeriodNs: Int64 = 1_000_000_000
    /// Waits without news after which screens are told to look all the same.
    private static let quietWaitCountMax = 10

    private let queue: MessageQueue
    private let services: Services
    /// Octets of each thread's stack.
    private let stackByteCount: Int
    private let isEnding = Atomic(false)
    private let ending = Semaphore()

    init(_ queue: MessageQueue, _ services: Services, stackByteCount: Int = 1 << 20) {
        self.queue = queue
        self.services = services
        self.stackByteCount = stackByteCount
    }

    /// Starts to watch; a person is told what stands still where the system refuses a thread.
    func start() {
        let isWatched = startDetachedThread(stackByteCount: stackByteCount) { [self] in
            watchStore()
        }
        if !isWatched { refuse("new exchanges are not shown") }
        guard let inspecting = services.hostActions.inspecting else { return }
        let isAsked = startDetachedThread(stackByteCount: stackByteCount) { [self] in
            ask(inspecting)
        }
        if !isAsked { refuse("the daemon's status is not known") }
    }

    func end() {
        isEnding.store(true, ordering: .relaxed)
        ending.signal()
    }

    private func refuse(_ consequence: String) {
        queue.post(
            .notice(.problem("\(consequence): the system gives no thread (see ulimit -u)")))
    }

    private func watchStore() {
        var quietWaitCount = 0
        while !isEnding.load(ordering: .relaxed) {
            quietWaitCount = services.waitForChange() ? 0 : quietWaitCount + 1
            // Now and then in any case: screens put work off to a later look.
            if quietWaitCount % Watcher.quietWaitCountMax == 0 { queue.post(.storeChanged) }
        }
    }

    private func ask(_ inspecting: any Inspecting) {
        while !isEnding.load(ordering: .relaxed) {
            queue.post(.status(inspecting.facts()))
            _ = ending.wait(forNs: Watcher.statusPeriodNs)
        }
    }
}
