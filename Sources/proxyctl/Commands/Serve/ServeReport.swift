internal import ProxydControl
internal import ProxydPresentation
internal import ProxydRuleActing

/// The report when serving ends.
enum ServeReport {
    /// The maximum number of exchange numbers listed; more would not help.
    private static let namedCountMax = 20

    static func lines(_ report: MockReport) -> [String] {
        lines(
            served: report.servedCount, unmatched: report.unmatchedCount,
            never: report.neverServed, neverCount: report.neverServed.count)
    }

    static func lines(_ mock: RulesMessage.Mock) -> [String] {
        lines(
            served: mock.servedCount, unmatched: mock.unmatchedCount,
            never: mock.neverServed ?? [], neverCount: mock.neverServedCount)
    }

    private static func lines(
        served: Int, unmatched: Int, never: [Int64], neverCount: Int
    ) -> [String] {
        var lines = [
            "served \(Quantity.count(served, "request"))",
            "unmatched \(Quantity.count(unmatched, "request"))",
        ]
        guard neverCount > 0 else { return lines }
        let named = never.prefix(namedCountMax).map(String.init)
        let all = (named + (neverCount > named.count ? ["…"] : [])).joined(separator: ", ")
        lines.append("\(Quantity.count(neverCount, "capture")) never requested: \(all)")
        return lines
    }
}
