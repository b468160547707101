public import ProxydConfigurationText
internal import ProxydFilter
internal import ProxydHTTPModel

/// Reads a rules file.
///
/// ```toml
/// [[rule]]
/// name = "staging"
/// when = 'host=api.example.com'
/// request = [{ send_to = "https://staging.example.com" }]
/// ```
public struct RulesFile {
    private var rules: [Rule] = []
    private var names: Set<String> = []
    private var enabledGroups: [String: Bool] = [:]
    private var scripts: [RuleScript] = []
    /// Includes the names of invalid scripts, so that rules that run them are not reported too.
    private var scriptNames: [String] = []
    /// The text of each rule, by name; empty if the rules are written as one array.
    private let texts: [String: String]
    /// The current time, in nanoseconds since 1970.
    private let now: Int64

    /// Reads the rules in a file's text.
    /// - Parameters:
    ///   - file: The file's name, for messages.
    ///   - now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
    /// - Throws: all problems of the file, each with its line.
    public static func read(
        _ text: String, file: String, now: Int64
    ) throws(ConfigurationError) -> RuleSet {
        try TableReader.read(text, file: file) { top in
            let texts = RulesText.textsOfRules(in: text, top.table)
            var reader = RulesFile(texts: texts, now: now)
            reader.readGroups(top.table("group"))
            for var table in top.tables("script") {
                reader.readScript(&table)
                table.finish()
            }
            for var table in top.tables("rule") {
                reader.readRule(&table)
                table.finish()
            }
            return RuleSet(reader.rules, scripts: reader.scripts)
        }
    }

    private init(texts: [String: String], now: Int64) {
        self.texts = texts
        self.now = now
    }

    private mutating func readGroups(_ table: TableReader?) {
        guard var table else { return }
        for member in table.table.members {
            guard var group = table.table(member.name) else { continue }
            enabledGroups[member.name] = group.required("enabled", as: Bool.self)
            group.finish()
        }
    }

    private mutating func readScript(_ table: inout TableReader) {
        if let name = table.table["name"]?.node.text?.text {
            if scriptNames.contains(name) {
                table.report("there is a script named \"\(name)\" already", at: "name")
            }
            scriptNames.append(name)
        }
        if scriptNames.count == RuleScript.countMax + 1 {
            table.report("more than \(RuleScript.countMax) scripts")
        }
        if let script = RuleScript(&table) { scripts.append(script) }
    }

    private mutating func readRule(_ table: inout TableReader) {
        let name = table.required("name", as: String.self, or: "a rule needs a name")
        if let name { check(name, table) }
        let filter = readFilter(&table)
        let isEnabled = table.value("enabled", as: Bool.self) ?? true
        let group = table.value("group", as: String.self)
        let stops = table.value("stop", as: Bool.self) ?? false
        let hitCountMax = table.value("limit", as: Int.self)
        if let hitCountMax, hitCountMax < 0 { table.report("limit: at least 0", at: "limit") }
        let view = table.value("sees", as: Rule.View.self) ?? .received
        let actions = readActions(&table, filter)
        checkPurpose(of: table, stops: stops, filter)
        guard let name else { return }
        guard names.count <= RuleSet.ruleCountMax else { return }
        rules.append(
            Rule(
                name: name, line: table.position.line, text: texts[name] ?? "",
                filter: filter?.filter ?? .everything,
                isEnabled: isEnabled && group.flatMap { enabledGroups[$0] } != false,
                group: group, stops: stops,
                hitCountMax: hitCountMax.flatMap { $0 > 0 ? $0 : nil }, view: view,
                actions: actions))
    }

    /// Reports a rule that can never do anything. A list with mistakes is reported elsewhere.
    private func checkPurpose(of table: TableReader, stops: Bool, _ filter: PlacedFilter?) {
        let lists = RulePhase.allCases.map(\.rawValue) + ["preset"]
        let hasActions = lists.contains { table.table[$0].map { !$0.node.isEmptyArray } ?? false }
        guard !hasActions else { return }
        guard stops else {
            return table.report(
                "this rule has nothing to do: add an action to connect, request or response, "
                    + "a preset, or stop = true")
        }
        // It stops later rules in the phases in which its filter can be decided.
        if let filter { check(filter, in: .response, table.findings) }
    }

    private mutating func check(_ name: String, _ table: TableReader) {
        if name.isEmpty { table.report("a rule needs a name", at: "name") }
        if !names.insert(name).inserted {
            table.report("there is a rule named \"\(name)\" already", at: "name")
        }
        if names.count == RuleSet.ruleCountMax + 1 {
            table.report("more than \(RuleSet.ruleCountMax) rules", at: "name")
        }
    }

    // MARK: Filter

    /// A filter and its position in the file.
    private struct PlacedFilter {
        let filter: Filter
        let text: TOMLText
    }

    private func readFilter(_ table: inout TableReader) -> PlacedFilter? {
        guard let text = table.text("when") else { return nil }
        do {
            return PlacedFilter(filter: try Filter.parse(text.text, now: now), text: text)
        } catch {
            table.findings.report("\(error)", at: text.position(ofColumn: error.column))
            return nil
        }
    }

    /// Checks that everything a filter examines is known when the actions run, and can differ
    /// there.
    private func check(
        _ placed: PlacedFilter, in phase: RulePhase, _ findings: ConfigurationFindings
    ) {
        for look in placed.filter.looks {
            guard let problem = RulesFile.problem(look, in: phase) else { continue }
            findings.report(
                "column \(look.column): \(look.name) \(problem)",
                at: placed.text.position(ofColumn: look.column))
            return
        }
    }

    /// Why a test cannot select exchanges in a phase; nil if it can.
    private static func problem(_ look: FilterLook, in phase: RulePhase) -> String? {
        // In a response list, ~q would never match, and ~s always.
        if look.name == "~q" || look.name == "~s" {
            return "asks whether there is a response, which is the same for all messages of a "
                + "list: leave it out, and put actions on requests in request, and those on "
                + "responses in response"
        }
        guard look.moment > phase.filterMoment else { return nil }
        return look.moment == .end
            ? "is known only when an exchange has ended"
            : "is not yet known when \(phase.rawValue) actions run"
    }

    // MARK: Actions

    private func readActions(
        _ table: inout TableReader, _ filter: PlacedFilter?
    ) -> [RulePhase: [RuleAction]] {
        var actions = readPresets(&table)
        for phase in RulePhase.allCases {
            for var action in table.tables(phase.rawValue) {
                let reader = RuleActionReader(phase: phase, now: now, scripts: scriptNames)
                if let read = reader.read(&action) { actions[phase, default: []].append(read) }
            }
            if let filter, actions[phase] != nil { check(filter, in: phase, table.findings) }
        }
        if actions.values.lazy.map(\.count).reduce(0, +) > RuleSet.actionCountMax {
            table.report("more than \(RuleSet.actionCountMax) actions")
        }
        return actions
    }

    private func readPresets(_ table: inout TableReader) -> [RulePhase: [RuleAction]] {
        var actions: [RulePhase: [RuleAction]] = [:]
        for name in table.value("preset", as: [String].self) ?? [] {
            guard let preset = RulePreset(rawValue: name) else {
                let names = RulePreset.allCases.map(\.rawValue)
                table.report(
                    "unknown preset \(name)\(NearMiss.hint(for: name, among: names))",
                    at: "preset")
                continue
            }
            for phase in [RulePhase.request, .response] {
                actions[phase, default: []]
                    .append(RuleAction(.preset(preset)))
            }
        }
        return actions
    }
}

extension Rule.View: ConfigurationChoice {}

extension TOMLNode {
    fileprivate var isEmptyArray: Bool { elements?.isEmpty ?? false }
}
