public import ProxydConfigurationText
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire

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
    /// - Parameter now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
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

    /// Checks that all that a filter examines is known when the actions run, and can differ then.
    private func check(
        _ placed: PlacedFilter, in phase: RulePhase, _ findings: ConfigurationFindings
    ) {
        for term in placed.filter.terms {
            guard let problem = RulesFile.problem(term, in: phase) else { continue }
            findings.report(
                "column \(term.column): \(term.name) \(problem)",
                at: placed.text.position(ofColumn: term.column))
            return
        }
    }

    /// Why a test cannot select exchanges in a phase; nil if it can.
    private static func problem(_ term: FilterTerm, in phase: RulePhase) -> String? {
        // In a response list, ~q would never match, and ~s always.
        if term.name == "~q" || term.name == "~s" {
            return "asks whether there is a response, which is the same for all messages of a "
                + "list: leave it out, and put actions on requests in request, and those on "
                + "responses in response"
        }
        guard term.moment > phase.filterMoment else { return nil }
        return term.moment == .end
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
                    "unknown preset \(name)\(NearMiss.hint(for: name, among: names))", at: "preset")
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

/// Reads one action: an inline table with one verb and its options.
struct RuleActionReader {
    let phase: RulePhase
    /// The current time, in nanoseconds since 1970.
    let now: Int64
    /// The names of the file's scripts.
    let scripts: [String]

    /// Returns nil if the action is invalid, after reporting why.
    func read(_ table: inout TableReader) -> RuleAction? {
        defer { table.finish() }
        guard let verb = verb(&table) else { return nil }
        refuseOptions(of: verb, &table)
        guard verb.phases.contains(phase) else {
            table.report("\(verb.rawValue) cannot be done to \(objectOfPhase)", at: verb.rawValue)
            for name in [verb.rawValue] + verb.options { _ = table.node(name) }
            return nil
        }
        let isSecret = verb.options.contains("secret") && table.value("secret") ?? false
        guard let read = readVerb(verb, &table) else { return nil }
        if isSecret, case .edit(let edit) = read, !edit.target.canBeSecret {
            table.report("\(edit.target) cannot be a secret", at: "secret")
        }
        return RuleAction(read, isSecret: isSecret)
    }

    private var objectOfPhase: String {
        switch phase {
        case .connect: "a connection"
        case .request: "a request"
        case .response: "a response"
        }
    }

    private func verb(_ table: inout TableReader) -> RuleVerbName? {
        let verbs = table.table.members.compactMap { RuleVerbName(rawValue: $0.name) }
        if verbs.count == 1 { return verbs.first }
        let names = table.table.members.map(\.name)
        if verbs.isEmpty, let name = names.first {
            let known = RuleVerbName.allCases.map(\.rawValue)
            table.report("unknown verb \(name)\(NearMiss.hint(for: name, among: known))")
        } else {
            table.report(
                "an action has one verb; this one has "
                    + (verbs.isEmpty ? "none" : verbs.map(\.rawValue).joined(separator: ", ")))
        }
        for name in names { _ = table.node(name) }
        return nil
    }

    /// Reports an option of another verb as such; any other key is reported as unknown.
    private func refuseOptions(of verb: RuleVerbName, _ table: inout TableReader) {
        for name in table.table.members.map(\.name)
        where name != verb.rawValue && !verb.options.contains(name)
            && RuleVerbName.allOptions.contains(name)
        {
            table.report("\(verb.rawValue) takes no \(name)", at: name)
            _ = table.node(name)
        }
    }

    private func readVerb(_ verb: RuleVerbName, _ table: inout TableReader) -> RuleVerb? {
        switch verb {
        case .set, .add, .remove, .replace:
            var reader = RuleEditReader(verb: verb, phase: phase)
            return reader.read(&table).map(RuleVerb.edit)
        case .sendTo: return RemoteMapping(&table).map(RuleVerb.sendTo)
        case .serve: return FileMapping(&table).map(RuleVerb.serve)
        case .respond: return RuleAnswer(&table).map(RuleVerb.respond)
        case .mock: return RuleMock(&table, now: now).map(RuleVerb.mock)
        case .block: return RuleBlock(&table).map(RuleVerb.block)
        case .delay: return RuleDelay(&table).map(RuleVerb.delay)
        case .throttle: return RuleThrottle(&table, in: phase).map(RuleVerb.throttle)
        case .resolve: return readAddress(&table)
        case .hold: return RuleHold(&table).map(RuleVerb.hold)
        case .run: return RuleScriptCall(&table, among: scripts).map(RuleVerb.run)
        case .tag: return readTag(&table)
        case .via: return readUpstream(&table).map(RuleVerb.via)
        case .clientCertificate:
            return readReference("client_certificate", &table).map(RuleVerb.clientCertificate)
        }
    }

    private func readAddress(_ table: inout TableReader) -> RuleVerb? {
        guard let text = table.text("resolve")?.text else { return nil }
        guard IPAddressText.isAddress(text) else {
            table.report("resolve takes an IP address", at: "resolve")
            return nil
        }
        return .resolve(address: text)
    }

    private func readUpstream(_ table: inout TableReader) -> RuleUpstream? {
        guard let reference = readReference("via", &table) else { return nil }
        return reference.name == "direct" ? .direct : .named(reference)
    }

    /// Only code that knows the configuration can check whether it has the name.
    private func readReference(_ key: String, _ table: inout TableReader) -> RuleReference? {
        guard let text = table.text(key) else { return nil }
        guard !text.text.isEmpty else {
            table.report("\(key) takes a name", at: key)
            return nil
        }
        let line = table.table[key]?.position.line ?? table.position.line
        return RuleReference(name: text.text, line: line)
    }

    private func readTag(_ table: inout TableReader) -> RuleVerb? {
        guard let text = table.text("tag")?.text else { return nil }
        guard !text.isEmpty, text.utf8.count <= 100,
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else {
            table.report(
                "tag takes a string of 1 to 100 bytes without control characters", at: "tag")
            return nil
        }
        return .tag(text)
    }
}

/// The verbs of a rules file; each is a key of an action's table.
enum RuleVerbName: String, CaseIterable {
    case set, add, remove, replace
    case sendTo = "send_to"
    case serve, respond, mock, block
    case delay = "delay_ms"
    case throttle, resolve, hold, run, tag
    case via
    case clientCertificate = "client_certificate"

    /// The keys that the verb accepts in the same table.
    var options: [String] {
        switch self {
        case .set, .add: ["value", "secret"]
        case .remove: ["match"]
        case .replace: ["match", "with", "times", "each", "secret"]
        case .sendTo: ["host", "strip"]
        case .serve: ["strip", "index", "missing", "headers"]
        case .respond: ["headers", "type", "body"]
        case .mock: ["match", "ignore", "order", "unmatched", "refresh", "pace"]
        case .delay: ["jitter_ms"]
        case .hold: ["timeout_s", "otherwise"]
        case .run: ["body", "timeout_ms", "otherwise"]
        case .block, .throttle, .resolve, .tag, .via, .clientCertificate: []
        }
    }

    static let allOptions = Set(allCases.flatMap(\.options))

    var phases: [RulePhase] {
        switch self {
        case .set, .add, .remove, .replace, .respond: [.request, .response]
        case .sendTo, .serve, .mock: [.request]
        case .hold, .run: [.request, .response]
        case .block, .delay, .throttle, .tag: RulePhase.allCases
        case .resolve, .via, .clientCertificate: [.connect]
        }
    }
}

/// Distinguishes IP addresses from names.
enum IPAddressText {
    /// Whether a text is an IPv4 or IPv6 address, without brackets.
    static func isAddress(_ text: String) -> Bool {
        if text.contains(":") {
            // A bracket would end the address inside the URL.
            return text.utf8.allSatisfy(isPartOfAddress)
                && (try? EffectiveTarget.absoluteURL(Array("http://[\(text)]/".utf8).span)) != nil
        }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                number.allSatisfy { ("0"..."9").contains($0) } && UInt8(number) != nil
                    && (number.count == 1 || number.first != "0")
            }
    }

    private static func isPartOfAddress(_ byte: UInt8) -> Bool {
        "0123456789abcdefABCDEF:.".utf8.contains(byte)
    }
}
