internal import ProxydRuleActing
internal import ProxydTerminalText

/// What is said when serving ends.
enum ServeReport {
    /// More numbers help no one.
    private static let namedCountMax = 20

    static func lines(_ report: MockReport) -> [String] {
        let never = report.neverServed
        var lines = [
            "served \(Quantity.count(report.servedCount, "request"))",
            "unmatched \(Quantity.count(report.unmatchedCount, "request"))",
        ]
        guard !never.isEmpty else { return lines }
        let named = never.prefix(namedCountMax).map(String.init).joined(separator: ", ")
        let rest = never.count > namedCountMax ? ", …" : ""
        lines.append("never asked for \(Quantity.count(never.count, "capture")): \(named)\(rest)")
        return lines
    }
}
