internal import ProxydCivilTime
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydRules
internal import ProxydSystem
internal import ArgumentParser

/// `proxyctl rule`: rules that act on traffic.
struct RuleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule", abstract: "Manage the rules that change traffic.",
        discussion: """
            Rules are in the file rules.toml next to proxyd.toml; the daemon applies it as soon as \
            it is saved. These commands edit single lines: comments and layout stay. See \
            docs/RULES.md.
            """,
        subcommands: [
            RuleListCommand.self, RuleShowCommand.self, RuleAddCommand.self,
            RuleMapCommand.self, RuleEditCommand.self, RuleEnableCommand.self,
            RuleDisableCommand.self, RuleMoveCommand.self, RuleRemoveCommand.self,
            RuleTestCommand.self, RuleReloadCommand.self,
        ])
}

struct RuleFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file next to the rules file, if no daemon is running.",
            valueName: "file"))
    var config: String?

    func access(_ global: GlobalOptions) throws -> RulesAccess {
        try RulesAccess(global.dataDirectory(), configurationFile: config)
    }
}

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
        let usage = access.inForce?.rulesByName ?? [:]
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
    private func explain(_ inForce: RulesStatus?) throws {
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

    private func show(_ rules: [Rule], _ usage: [String: RulesStatus.Rule]) {
        let hasTemporary = usage.values.contains(where: \.isTemporary)
        var table = TextTable(
            titles: (hasTemporary ? [""] : [])
                + ["RULE", "ON", "HITS", "CHANGED", "FAILED", "LAST", "WHEN"])
        for rule in rules {
            let used = usage[rule.name]
            let count = { (count: KeyPath<RulesStatus.Rule, Int>) in
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

    private static func show(_ mock: RulesStatus.Mock, _ rule: Rule) {
        let captures = Quantity.count(mock.captureCount, "capture")
        Report().line(
            StyledText(
                "\(rule.name): \(captures), \(mock.servedCount) served, "
                    + "\(mock.unmatchedCount) unmatched, "
                    + "\(mock.neverServedCount) never requested", .dim))
        for problem in mock.problems { Report.warn("\(rule.name): \(problem)") }
    }
}

struct RuleShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a rule as written in the file.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Argument(help: "The rule's name.")
    var name: String
    @Flag(help: "Print a JSON object, as in rule list, with the text.")
    var json = false

    func run() throws {
        let access = try options.access(global)
        do {
            let inForce = try access.readInForce()
            let text = try RulesText(inForce, file: access.path).text(of: name)
            if json {
                let rules = try RulesAccess.parse(inForce, access.path).rules
                guard let rule = rules.first(where: { $0.name == name }) else { return }
                return Report().json(RuleJSON(access).value(rule, text: text))
            }
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                Report().line(StyledText(String(line)))
            }
        } catch let error as ConfigurationError {
            throw RulesAccess.failure(error)
        } catch let error as RulesText.Problem {
            throw CommandFailure("\(error)")
        }
    }
}

/// Rules as JSON, with the running daemon's counts.
struct RuleJSON {
    private let usage: [String: RulesStatus.Rule]
    /// The line at which each rule of the file starts; empty if the file contains errors.
    private let lines: [String: Int]

    init(_ access: RulesAccess) {
        usage = access.inForce?.rulesByName ?? [:]
        let rules = try? RulesFile.read(
            access.read(), file: access.path, now: SystemClock.wallNow())
        lines = Dictionary(
            (rules?.rules ?? []).map { ($0.name, $0.line) }, uniquingKeysWith: { $1 })
    }

    /// - Parameter text: The lines of the rule in the file, if they are to be part of it.
    func value(_ rule: Rule, text: String? = nil) -> JSONValue {
        let usage = usage[rule.name]
        return .members(
            [
                ("name", .string(rule.name)), ("enabled", .bool(rule.isEnabled)),
                ("when", .string(rule.filter.text)), ("group", .text(rule.group)),
                ("stop", .bool(rule.stops)), ("limit", .integer(rule.hitCountMax ?? 0)),
                ("sees", .string(rule.view.rawValue)),
                ("line", .integer(lines[rule.name])),
                ("temporary", .bool(usage?.isTemporary ?? false)),
                ("hits", .integer(usage?.hitCount)), ("changed", .integer(usage?.changedCount)),
                ("failed", .integer(usage?.failedCount)),
                ("last_hit", .text(usage?.lastHitNs.map { RFC3339.text(nanoseconds: $0) })),
                ("mocks", .array((usage?.mocks ?? []).map(RuleJSON.value))),
            ] + (text.map { [("text", .string($0))] } ?? []))
    }

    private static func value(_ mock: RulesStatus.Mock) -> JSONValue {
        .members([
            ("captures", .integer(mock.captureCount)), ("served", .integer(mock.servedCount)),
            ("unmatched", .integer(mock.unmatchedCount)),
            ("never_served", .integer(mock.neverServedCount)),
            ("problems", .array(mock.problems.map(JSONValue.string))),
        ])
    }
}

struct RuleReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Make the daemon read the rules again.",
        discussion:
            "It does so by itself when the file is saved. If the file has a mistake, the exit "
            + "status is 78, and the old rules stay in force.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Flag(help: "Also drop temporary changes.")
    var forget = false
    @Flag(help: "Print the result as a JSON object.")
    var json = false

    func run() throws {
        let access = try options.access(global)
        if forget { _ = try access.tell(.forgetAll) }
        guard let inForce = try access.reload() else {
            throw CommandFailure("no daemon is running")
        }
        if json {
            Report().json(
                .members([
                    ("rules", .integer(inForce.rules.count)),
                    ("problems", .array(inForce.problems.map(JSONValue.string))),
                    ("dropped", .array(inForce.leftOut.map(JSONValue.string))),
                ]))
        }
        guard inForce.problems.isEmpty else { throw RulesFailure.mistakes(inForce.problems).told() }
        for change in inForce.leftOut { Report.warn("a temporary change was dropped: \(change)") }
        Report.warn("rules in force: \(inForce.rules.count)")
    }
}
