internal import ProxydOperations
internal import Synchronization

/// Takes the outcome of a replay from the thread that ran it.
final class OutcomeBox: Sendable {
    private let outcome = Mutex<ReplayOutcome?>(nil)

    /// The outcome, or nil if there was none.
    var value: ReplayOutcome? { outcome.withLock { $0 } }

    func set(_ value: ReplayOutcome) { outcome.withLock { $0 = value } }
}
