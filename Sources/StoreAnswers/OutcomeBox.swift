package import ProxydOperations
internal import Synchronization

/// Takes the outcome of a replay from the thread that ran it.
package final class OutcomeBox: Sendable {
    private let outcome = Mutex<ReplayOutcome?>(nil)

    /// Creates an empty box.
    package init() {}

    /// The outcome, or nil if there was none.
    package var value: ReplayOutcome? { outcome.withLock { $0 } }

    package func set(_ value: ReplayOutcome) { outcome.withLock { $0 = value } }
}
