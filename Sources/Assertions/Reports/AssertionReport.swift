internal import ProxydCaptureModel
public import ProxydHTTPModel

/// All results of a run, for the formats of reports.
public struct AssertionReport: Sendable {
    /// The name of the assertion file.
    public let file: String
    /// The results, in the order in which they are shown.
    public let results: [AssertionResult]

    /// Creates a report.
    public init(file: String, results: [AssertionResult]) {
        self.file = file
        self.results = results
    }

    /// Whether everything holds.
    public var holds: Bool { results.allSatisfy(\.holds) }

    /// How many results do not hold.
    public var failureCount: Int { results.count { !$0.holds } }

    /// The exchanges that show what is wrong, each once, in the order of the store.
    public var failedExchanges: [ExchangeID] {
        var places: [ExchangeID: Int64] = [:]
        for row in results.flatMap(\.problems).flatMap(\.rows) { places[row.id] = row.place }
        return places.sorted { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
            .map(\.key)
    }
}

extension AssertionProblem {
    /// The names of the exchanges that reports name.
    var namedExchanges: [String] {
        rows.prefix(AssertionProblem.namedCountMax).map(\.idText)
    }

    /// The problem as lines of text, without styles.
    var plainLines: [String] {
        var lines = [message]
        if rowCount > 0 {
            let rest = rowCount - namedExchanges.count
            let more = rest > 0 ? " and \(rest) more" : ""
            lines.append("exchanges: \(namedExchanges.joined(separator: ", "))\(more)")
        }
        return lines + details
    }
}
