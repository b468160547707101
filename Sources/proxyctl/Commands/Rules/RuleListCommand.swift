internal import ArgumentParser
internal import Capture
internal import ProxydCivilTime
internal import ProxydControl
internal import ProxydFilter
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydRules

/// `proxyctl rule list`: the rules, and what they have done.
struct RuleListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rules and how often they have hit.",
        discussion: """
            Hits are those of the running daemon. With a file that has mistakes, what is wrong is \
            told, and the rules that are in force are listed.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Flag(help: "One JSON object a line.")
    var json = false

    func run() throws {
        let access = try options.access(global)
        let usage = Dictionary(
            (access.inForce?.rules ?? []).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        for problem in access.inForce?.problems ?? [] { Report.warn(problem) }
        let rules: [Rule]
        do {
            rules = try RulesAccess.parse(try access.read(), access.path).rules
        } catch let failure as CommandFailure where !(access.inForce?.problems ?? []).isEmpty {
            let names = access.inForce?.rules.map(\.name) ?? []
            Report.warn("in force are: \(names.joined(separator: ", "))")
            throw CommandFailure(nil, code: failure.code)
        }
        if json {
            for rule in rules { Report().json(RuleListCommand.value(rule, usage[rule.name])) }
        } else if rules.isEmpty {
            Report.warn("there are no rules in \(access.path)")
        } else {
            show(rules, usage)
        }
    }

    private func show(_ rules: [Rule], _ usage: [String: RulesMessage.Rule]) {
        var table = TextTable([
            TextTable.Column(title: "RULE"), TextTable.Column(title: "ON"),
            TextTable.Column(title: "HITS"), TextTable.Column(title: "LAST"),
            TextTable.Column(title: "WHEN"),
        ])
        for rule in rules {
            let used = usage[rule.name]
            table.append([
                StyledText(rule.name), StyledText(rule.isEnabled ? "on" : "off"),
                StyledText(used.map { String($0.hitCount) } ?? "-"),
                StyledText(used?.lastHitNs.map(Timestamp.local) ?? "-", .dim),
                StyledText(rule.filter.text.isEmpty ? "everything" : rule.filter.text),
            ])
        }
        for line in table.lines() { Report().line(line) }
    }

    private static func value(_ rule: Rule, _ usage: RulesMessage.Rule?) -> JSONValue {
        .members([
            ("name", .string(rule.name)), ("enabled", .bool(rule.isEnabled)),
            ("when", .string(rule.filter.text)), ("group", .text(rule.group)),
            ("line", .integer(rule.line)), ("hits", usage.map { .integer($0.hitCount) } ?? .null),
            ("last_hit", .text(usage?.lastHitNs.map { RFC3339.text(nanoseconds: $0) })),
        ])
    }
}
