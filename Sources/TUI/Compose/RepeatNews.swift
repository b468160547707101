internal import Synchronization
internal import ProxydOperations

/// Collects outcomes reported on another thread, and reports their totals now and then.
final class RepeatNews: Sendable {
    /// The first outcomes are reported one by one, later ones in bundles of 1/50 of all so far.
    private static let bundleShare = 50

    private let sum = Mutex(RepeatTally())
    private let report: @Sendable (RepeatTally) -> Void

    init(_ report: @escaping @Sendable (RepeatTally) -> Void) { self.report = report }

    var tally: RepeatTally { sum.withLock { $0 } }

    func add(_ outcome: ReplayOutcome) {
        let told = sum.withLock { sum -> RepeatTally? in
            sum.add(outcome)
            return sum.count % max(1, sum.count / RepeatNews.bundleShare) == 0 ? sum : nil
        }
        if let told { report(told) }
    }
}
