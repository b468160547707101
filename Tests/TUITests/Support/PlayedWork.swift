@testable import ProxydTUI

extension Work<WorkNews> {
    /// Runs it immediately, on the test's thread; what it reports and what comes of it, in turn.
    func played(_ context: WorkContext) -> [WorkNews] {
        let reports = Reports()
        do {
            let result = try perform(context) { reports.add($0) }
            return reports.all + [result]
        } catch {
            return reports.all + [.failure("\(error)")]
        }
    }
}

/// What a work reported.
private final class Reports: @unchecked Sendable {
    // Proof: the player runs works on the test's own thread.
    private(set) var all: [WorkNews] = []

    func add(_ report: WorkNews) { all.append(report) }
}
