internal import ProxydOperations

/// The results of requests that were sent many times.
struct RepeatTally: Sendable {
    private(set) var count = 0
    /// How often each status was received; nil for no response.
    private(set) var statuses: [Int?: Int] = [:]
    private(set) var sameBodyCount = 0
    private(set) var differentBodyCount = 0
    private(set) var failedCount = 0
    /// Why the latest failed request failed.
    private(set) var lastProblem: String?
    private var durations: [Int64] = []

    mutating func add(_ outcome: ReplayOutcome) {
        count += 1
        statuses[outcome.status, default: 0] += 1
        switch outcome.body {
        case .same: sameBodyCount += 1
        case .different: differentBodyCount += 1
        case .unknown: break
        }
        if let problem = outcome.problem {
            failedCount += 1
            lastProblem = problem
        }
        if let duration = outcome.durationNs { durations.append(duration) }
    }

    /// Statuses in ascending order, with no response last.
    var statusCounts: [(status: Int?, count: Int)] {
        statuses.sorted { ($0.key ?? .max) < ($1.key ?? .max) }
            .map { (status: $0.key, count: $0.value) }
    }

    /// The minimum, the median, the 95th percentile and the maximum in nanoseconds, or nil if no
    /// request ended.
    var times: (least: Int64, median: Int64, most95: Int64, most: Int64)? {
        let sorted = durations.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        return (first, sorted[sorted.count / 2], sorted[sorted.count * 95 / 100], last)
    }
}
