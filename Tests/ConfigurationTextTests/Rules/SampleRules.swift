import ProxydConfigurationText

/// A reader of rules files as small as it can be, to try what such a file needs of this module.
struct SampleRules {
    struct Action: Equatable {
        let verb: String
        let line: Int
    }

    struct Rule: Equatable {
        let name: String
        let when: String?
        let isEnabled: Bool
        let actions: [String: [Action]]
    }

    enum View: String, ConfigurationChoice { case received, changed }

    private(set) var rules: [Rule] = []
    private(set) var groups: [String] = []
    private var names: Set<String> = []

    static func read(_ text: String, file: String) throws(ConfigurationError) -> SampleRules {
        try TableReader.read(text, file: file) { top in
            var rules = SampleRules()
            for var table in top.tables("rule") {
                rules.readRule(&table)
                table.finish()
            }
            rules.readGroups(top.table("group"))
            return rules
        }
    }

    private mutating func readRule(_ table: inout TableReader) {
        let name = table.required("name", as: String.self, or: "a rule needs a name")
        if let name, !names.insert(name).inserted {
            table.report("there is a rule named \"\(name)\" already", at: "name")
        }
        let when = table.text("when")
        if let when { checkFilter(when, table.findings) }
        let isEnabled = table.value("enabled", as: Bool.self) ?? true
        for flag in ["stop", "temporary"] { _ = table.value(flag, as: Bool.self) }
        _ = table.value("limit", as: Int.self)
        _ = table.value("sees", as: View.self)
        _ = table.value("group", as: String.self)
        for preset in table.value("preset", as: [String].self) ?? []
        where !["no-cache", "block-cookies"].contains(preset) {
            table.report("unknown preset \(preset)", at: "preset")
        }
        var actions: [String: [Action]] = [:]
        for phase in ["connect", "request", "response"] {
            for var action in table.tables(phase) {
                guard let read = readAction(&action, phase) else { continue }
                actions[phase, default: []].append(read)
            }
        }
        guard let name else { return }
        rules.append(
            Rule(name: name, when: when?.text, isEnabled: isEnabled, actions: actions))
    }

    /// Replaces the filter language: a word that it does not know has a column.
    private func checkFilter(_ filter: TOMLText, _ findings: ConfigurationFindings) {
        guard let range = filter.text.firstRange(of: "hots") else { return }
        let column = filter.text[..<range.lowerBound].unicodeScalars.count + 1
        findings.report(
            "column \(column): unknown field \"hots\": did you mean host?",
            at: filter.position(ofColumn: column))
    }

    private mutating func readGroups(_ table: TableReader?) {
        guard var table else { return }
        for member in table.table.members {
            guard var group = table.table(member.name) else { continue }
            _ = group.required("enabled", as: Bool.self)
            group.finish()
            groups.append(member.name)
        }
    }

    private func readAction(_ table: inout TableReader, _ phase: String) -> Action? {
        let verbs = table.table.members.map(\.name).filter { Self.options[$0] != nil }
        guard let verb = verbs.first, verbs.count == 1 else {
            let names = table.table.members.map(\.name).joined(separator: ", ")
            table.report("an action has one verb, this one has \(names)")
            return nil
        }
        if phase == "response", ["serve", "send_to", "mock"].contains(verb) {
            table.report("\(verb) cannot be done to a response", at: verb)
        }
        let options = Self.options[verb] ?? []
        for member in table.table.members where member.name != verb {
            if !options.contains(member.name), Self.options.values.joined().contains(member.name) {
                table.report("\(verb) takes no \(member.name)", at: member.name)
                _ = table.node(member.name)
            }
        }
        for option in options { _ = table.node(option) }
        readVerb(verb, &table)
        table.finish()
        return Action(verb: verb, line: table.position.line)
    }

    private func readVerb(_ verb: String, _ table: inout TableReader) {
        switch verb {
        case "delay_ms", "respond": _ = table.value(verb, as: Int.self)
        case "block", "throttle", "hold": _ = table.node(verb)
        case "serve":
            guard let path = table.text(verb) else { return }
            if !path.text.hasPrefix("/") { table.report("serve takes an absolute path", at: verb) }
        default: _ = table.text(verb)
        }
    }

    private static let options: [String: [String]] = [
        "set": ["value", "secret"], "add": ["value", "secret"], "remove": ["match"],
        "replace": ["match", "with", "times", "each"], "send_to": ["host", "strip"],
        "serve": ["strip", "index", "missing", "headers"],
        "respond": ["headers", "type", "body", "file"], "mock": ["match", "ignore", "order"],
        "block": [], "delay_ms": ["jitter_ms"], "throttle": [], "resolve": [], "via": [],
        "client_certificate": [], "hold": ["timeout_s", "otherwise"],
        "run": ["body", "timeout_ms", "otherwise"], "tag": [],
    ]
}
