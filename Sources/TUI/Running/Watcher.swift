internal import Foundation
internal import Synchronization

/// Tells the drawing thread of changes of the store, and how daemon and store are.
final class Watcher: Sendable {
    /// Status is asked at most so often, in nanoseconds: it wakes the daemon.
    private static let statusPeriodNs: Int64 = 1_000_000_000
    /// Waits without news after which screens are told to look all the same.
    private static let quietWaitCountMax = 10

    private let queue: MessageQueue
    private let services: Services
    private let isEnding = Atomic(false)

    init(_ queue: MessageQueue, _ services: Services) {
        self.queue = queue
        self.services = services
    }

    func start() {
        Thread.detachNewThread { [self] in
            var quietWaitCount = 0
            while !isEnding.load(ordering: .relaxed) {
                quietWaitCount = services.waitForChange() ? 0 : quietWaitCount + 1
                // Now and then in any case: screens put work off to a later look.
                if quietWaitCount % Watcher.quietWaitCountMax == 0 { queue.post(.storeChanged) }
            }
        }
        guard let inspecting = services.world.inspecting else { return }
        Thread.detachNewThread { [self] in
            while !isEnding.load(ordering: .relaxed) {
                queue.post(.status(inspecting.facts()))
                Thread.sleep(forTimeInterval: Double(Watcher.statusPeriodNs) / 1e9)
            }
        }
    }

    func end() { isEnding.store(true, ordering: .relaxed) }
}
