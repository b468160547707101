internal import Synchronization
internal import ProxydOperations

/// Keeps the first of the outcomes that another thread reports.
final class FirstOutcome: Sendable {
    private let outcome = Mutex<ReplayOutcome?>(nil)

    var value: ReplayOutcome? { outcome.withLock { $0 } }

    func take(_ new: ReplayOutcome) { outcome.withLock { $0 = $0 ?? new } }
}
