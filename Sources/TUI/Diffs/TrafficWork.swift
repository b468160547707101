internal import ProxydAssertions
internal import ProxydFilter
internal import ProxydRules

/// Which exchanges are compared, and which of their requests are the same.
struct TrafficOrder: Sendable {
    var before: Filter
    var after: Filter
    let matching: MockMatching
    /// Whether requests to different servers may be the same.
    let anyServer: Bool
}

/// Reads two sets of exchanges and compares them.
enum TrafficWork {
    static let slot = "traffic"

    /// The result of the comparison.
    struct Result: Sendable {
        /// The numbers of exchanges of the sides.
        let counts: [Int]
        /// How many exchanges have no request to compare, such as tunnels.
        let skippedCount: Int
        /// The differences, the kinds one after another.
        let entries: [TrafficComparison.Entry]
        /// The numbers of differences, for people.
        let summary: String
    }

    static func compare(_ order: TrafficOrder) -> Work<TrafficScreen.News> {
        Work(slot, on: .searches) { context, report in
            var pace = ReportPace()
            var readCount = 0
            let sides = try [order.before, order.after].map { filter in
                let former = readCount
                let side = try context.exchanges.compared(
                    filter, order.matching, anyServer: order.anyServer
                ) { count in
                    readCount = former + count
                    if pace.isDue() { report(.reading(readCount)) }
                }
                if let problem = side.problem(filter) { throw WorkFailure(problem) }
                return side
            }
            let comparison = TrafficComparison(sides[0], sides[1])
            return .compared(
                Result(
                    counts: sides.map(\.count),
                    skippedCount: sides.reduce(0) { $0 + $1.skippedCount },
                    entries: comparison.entriesByKind, summary: comparison.counts))
        }
    }
}
