internal import Synchronization
internal import ProxydSystem
internal import ProxydOperations

/// Reports changes of the store, and the state of daemon and store, to the drawing thread.
final class Watcher: Sendable {
    /// The minimum time between status queries, which wake the daemon.
    private static let statusPeriodNs: Int64 = 1_000_000_000
    /// The number of waits without a change after which screens check anyway.
    private static let quietWaitCountMax = 10

    private let queue: MessageQueue
    private let services: Services
    /// The stack size of each thread in bytes.
    private let stackByteCount: Int
    private let isEnding = Atomic(false)
    private let ending = Semaphore()

    init(_ queue: MessageQueue, _ services: Services, stackByteCount: Int = 1 << 20) {
        self.queue = queue
        self.services = services
        self.stackByteCount = stackByteCount
    }

    /// Starts watching; if a thread cannot be created, a notice says what is not updated.
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
            .notice(.problem("\(consequence): the system cannot start a thread (see ulimit -u)")))
    }

    private func watchStore() {
        var quietWaitCount = 0
        while !isEnding.load(ordering: .relaxed) {
            quietWaitCount = services.waitForChange() ? 0 : quietWaitCount + 1
            // Screens also use these periodic checks for postponed work.
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
