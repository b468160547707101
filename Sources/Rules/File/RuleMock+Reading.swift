public import ProxydConfigurationText
internal import ProxydFilter

extension RuleMock {
    /// Reads `mock = FILTER`, with `match`, `ignore`, `order`, `unmatched`, `refresh`, `pace`.
    /// - Parameter now: The time that `-15m` in the filter is relative to, in nanoseconds since
    ///   1970.
    init?(_ table: inout TableReader, now: Int64) {
        let filter = RuleMock.filter(&table, now: now)
        let matching = RuleMock.matching(&table)
        let unmatched = RuleMock.unmatched(&table)
        order = table.value("order", as: MockOrder.self) ?? .thenLast
        isRefreshed = table.value("refresh", as: Bool.self) ?? false
        pace = table.value("pace", as: Pace.self) ?? .atOnce
        guard let filter, let matching, let unmatched else { return nil }
        self.filter = filter
        self.matching = matching
        self.unmatched = unmatched
    }

    private static func filter(_ table: inout TableReader, now: Int64) -> Filter? {
        guard let text = table.text("mock") else { return nil }
        do {
            return try Filter.parse(text.text, now: now)
        } catch {
            table.findings.report("\(error)", at: text.position(ofColumn: error.column))
            return nil
        }
    }

    private static func matching(_ table: inout TableReader) -> MockMatching? {
        let match = table.value("match", as: [String].self) ?? []
        let ignore = table.value("ignore", as: [String].self) ?? []
        do {
            return try MockMatching(match: match, ignore: ignore)
        } catch {
            let name = error.list == .match ? "match" : "ignore"
            table.report("\(name): \(error.message)", at: name)
            return nil
        }
    }

    /// Returns nil if the value is invalid, after reporting why.
    private static func unmatched(_ table: inout TableReader) -> Unmatched? {
        guard let node = table.node("unmatched") else { return .status(502) }
        switch node.content {
        case .integer(let status) where (200...599).contains(status): return .status(status)
        case .string(let text) where text.text == "close": return .close
        case .string(let text) where text.text == "forward": return .forward
        default:
            table.report(
                "unmatched: expected a status from 200 to 599, \"close\" or \"forward\"",
                at: "unmatched")
            return nil
        }
    }
}

extension MockOrder: ConfigurationChoice {}
extension RuleMock.Pace: ConfigurationChoice {}
