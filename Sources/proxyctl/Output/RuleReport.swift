internal import ProxydPresentation
internal import ProxydHTTPModel

/// What rules did to an exchange, as lines for users: one line per rule, in the order in which they
/// were applied.
enum RuleReport {
    /// The lines; none if no rule was applied.
    static func lines(_ rules: [AppliedRule]) -> [StyledText] {
        guard !rules.isEmpty else { return [] }
        var table = TextTable([
            .init(title: "", columnCountMax: 32), .init(title: ""), .init(title: ""),
            .init(title: ""),
        ])
        for rule in rules {
            table.append([
                StyledText(rule.rule, .key), StyledText(rule.phase.rawValue),
                StyledText(rule.outcome), StyledText(rule.detail ?? "", .dim),
            ])
        }
        return ["", StyledText("rules", .heading)] + table.lines().map { "  " + $0 }
    }
}
