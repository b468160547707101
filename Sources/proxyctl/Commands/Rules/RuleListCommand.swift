internal import ProxydPresentation
internal import ArgumentParser
internal import Capture
internal import ProxydControl
internal import ProxydFilter
internal import ProxydRules

/// `proxyctl rule list`: lists the rules and their usage.
struct RuleListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rules and how often they matched.",
        discussion: """
            Hits are counted by the running daemon, which also has the temporary rules, marked ~. \
            If the file has mistakes, they are reported, and the rules in force are listed.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        let access = try options.access(global)
        let usage = Dictionary(
            (access.inForce?.rules ?? []).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        for problem in access.inForce?.problems ?? [] { Report.warn(problem) }
        let rules = try RulesAccess.parse(try access.readInForce(), access.path).rules
        if json {
            let report = RuleJSON(access)
            for rule in rules { Report().json(report.value(rule)) }
        } else if rules.isEmpty {
            Report.warn("there are no rules in \(access.path)")
        } else {
            show(rules, usage)
        }
        try explain(access.inForce)
    }

    /// Prints further remarks on the daemon's rules.
    private func explain(_ inForce: RulesMessage?) throws {
        guard let inForce else { return }
        if !inForce.removed.isEmpty {
            let names = inForce.removed.joined(separator: ", ")
            Report.warn("removed until the daemon ends: \(names)")
        }
        for change in inForce.leftOut { Report.warn("a temporary change was dropped: \(change)") }
        guard !inForce.problems.isEmpty else { return }
        Report.warn("the rules listed are those in force")
        throw CommandFailure(nil, code: .configuration)
    }

    private func show(_ rules: [Rule], _ usage: [String: RulesMessage.Rule]) {
        let hasTemporary = usage.values.contains(where: \.isTemporary)
        var table = TextTable(
            (hasTemporary ? [""] : []).map { TextTable.Column(title: $0) } + [
                TextTable.Column(title: "RULE"), TextTable.Column(title: "ON"),
                TextTable.Column(title: "HITS"), TextTable.Column(title: "CHANGED"),
                TextTable.Column(title: "FAILED"), TextTable.Column(title: "LAST"),
                TextTable.Column(title: "WHEN"),
            ])
        for rule in rules {
            let used = usage[rule.name]
            let count = { (count: KeyPath<RulesMessage.Rule, Int>) in
                StyledText(used.map { String($0[keyPath: count]) } ?? "-")
            }
            let mark = used?.isTemporary ?? false ? "~" : ""
            table.append(
                (hasTemporary ? [StyledText(mark, .key)] : []) + [
                    StyledText(rule.name), StyledText(rule.isEnabled ? "on" : "off"),
                    count(\.hitCount), count(\.changedCount), count(\.failedCount),
                    StyledText(used?.lastHitNs.map(WallTime.local.full) ?? "-", .dim),
                    StyledText(rule.filter.text.isEmpty ? "everything" : rule.filter.text),
                ])
        }
        for line in table.lines() { Report().line(line) }
        for rule in rules {
            for mock in usage[rule.name]?.mocks ?? [] { RuleListCommand.show(mock, rule) }
        }
    }

    private static func show(_ mock: RulesMessage.Mock, _ rule: Rule) {
        let captures = Quantity.count(mock.captureCount, "capture")
        Report().line(
            StyledText(
                "\(rule.name): \(captures), \(mock.servedCount) served, "
                    + "\(mock.unmatchedCount) unmatched, "
                    + "\(mock.neverServedCount) never requested", .dim))
        for problem in mock.problems { Report.warn("\(rule.name): \(problem)") }
    }
}
