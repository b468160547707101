public import ProxydConfigurationText
public import ProxydHTTPModel

/// An edit of rules as a value, for a file or for the temporary rules of a daemon. Its cases are in
/// the protocol of the control socket.
public enum RuleChange: Sendable, Hashable, Codable {
    /// Adds a rule; `lines` starts with `[[rule]]`.
    case add(name: String, lines: String, place: RulesText.Position)
    case replace(name: String, lines: String)
    case setFilter(name: String, filter: String)
    case switchRule(name: String, isOn: Bool)
    case switchGroup(name: String, isOn: Bool)
    case move(name: String, place: RulesText.Position)
    case remove(name: String)

    /// Applies the change to a text. The meaning of the rules is not checked.
    /// - Throws: `RulesText.Problem`; `ConfigurationError` for lines that are not valid TOML.
    public func apply(to text: inout RulesText) throws {
        switch self {
        case .add(let name, let lines, let place):
            guard try RulesText.name(ofOne: lines) == name else {
                throw RulesText.Problem.notOneRule
            }
            try text.append(lines, named: name, at: place)
        case .replace(let name, let lines): try text.replace(name, with: lines)
        case .setFilter(let name, let filter): try text.setFilter(filter, rule: name)
        case .switchRule(let name, let isOn): try text.setEnabled(isOn, rule: name)
        case .switchGroup(let name, let isOn): try text.setEnabled(isOn, group: name)
        case .move(let name, let place): try text.move(name, to: place)
        case .remove(let name): try text.remove(name)
        }
    }

    /// The rule that the change concerns; nil for a group.
    public var rule: String? {
        switch self {
        case .add(let name, _, _), .replace(let name, _), .setFilter(let name, _),
            .switchRule(let name, _), .move(let name, _), .remove(let name):
            name
        case .switchGroup: nil
        }
    }

    /// The name of the rule after the change; nil for a group, or if it is removed.
    public var ruleAfter: String? {
        switch self {
        case .replace(_, let lines): try? RulesText.name(ofOne: lines)
        case .remove: nil
        default: rule
        }
    }

    /// The rule that it moves; nil for any other change.
    var movedRule: String? {
        guard case .move(let name, _) = self else { return nil }
        return name
    }

    /// Whether this change makes an earlier one obsolete.
    func supersedes(_ earlier: RuleChange) -> Bool {
        switch (self, earlier) {
        case (.switchRule(let name, _), .switchRule(let other, _)),
            (.switchGroup(let name, _), .switchGroup(let other, _)),
            (.setFilter(let name, _), .setFilter(let other, _)):
            name == other
        default: false
        }
    }

    var summary: String {
        switch self {
        case .add(let name, _, _): "add \(name)"
        case .replace(let name, _): "edit \(name)"
        case .setFilter(let name, _): "filter of \(name)"
        case .switchRule(let name, let isOn): "\(isOn ? "enable" : "disable") \(name)"
        case .switchGroup(let name, let isOn): "\(isOn ? "enable" : "disable") group \(name)"
        case .move(let name, _): "move \(name)"
        case .remove(let name): "remove \(name)"
        }
    }
}

/// Converts an action in the short form of a command line to the form of a rules file.
///
/// `VERB REST`: `set header:X-A=1`, `remove query:debug`, `block 403`, `send_to https://h.test`.
/// Text that starts with `{` is already in the form of the file.
public enum RuleShortForm {
    /// Why a text is not an action.
    public struct Problem: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Returns the inline table of an action; its meaning is not checked.
    public static func table(_ text: String) throws(Problem) -> String {
        if text.hasPrefix("{") { return text }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard let word = parts.first else { throw Problem(description: "the action is empty") }
        guard let verb = RuleVerbName(rawValue: word == "delay" ? "delay_ms" : String(word)) else {
            let known = RuleVerbName.allCases.map(\.rawValue)
            let hint = NearMiss.hint(for: String(word), among: known)
            throw Problem(description: "unknown verb \(word)\(hint)")
        }
        let rest = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        switch verb {
        case .set, .add: return try edit(verb, rest)
        case .replace:
            throw Problem(
                description: "replace has no short form: write { replace = \"body\", "
                    + "match = 'a', with = \"b\" }")
        case .respond, .delay: return "{ \(verb.rawValue) = \(rest) }"
        case .hold where rest.isEmpty: return "{ hold = true }"
        case .block where Int(rest) != nil: return "{ block = \(rest) }"
        default: return "{ \(verb.rawValue) = \(rest.tomlText) }"
        }
    }

    /// Reads `TARGET=VALUE`; for JSON targets and `status`, numbers and booleans keep their type.
    private static func edit(_ verb: RuleVerbName, _ rest: String) throws(Problem) -> String {
        guard let equals = rest.firstIndex(of: "=") else {
            throw Problem(description: "\(verb.rawValue) TARGET=VALUE: \(rest) has no =")
        }
        let target = String(rest[..<equals])
        let value = String(rest[rest.index(after: equals)...])
        let isPlain =
            (target.hasPrefix("json:") || target == "status")
            && (value == "true" || value == "false" || isInteger(value) || isNumber(value))
        let written = isPlain ? value : value.tomlText
        return "{ \(verb.rawValue) = \(target.tomlText), value = \(written) }"
    }

    /// Whether a text is a decimal integer in TOML syntax, which has no leading zeros.
    private static func isInteger(_ text: some StringProtocol) -> Bool {
        let digits = text.drop { $0 == "+" || $0 == "-" }
        return Int(text) != nil && (digits == "0" || digits.first != "0")
    }

    /// Whether a text is a decimal number in TOML syntax.
    private static func isNumber(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && isInteger(parts[0])
            && !parts[1].isEmpty && parts[1].allSatisfy { ("0"..."9").contains($0) }
    }

    /// Returns the lines of a rule.
    /// - Parameters:
    ///   - options: Keys and their values in TOML syntax, for example `stop` and `limit`.
    ///   - actions: Inline tables with their phases.
    public static func rule(
        _ name: String, when filter: String?, options: [(key: String, value: String)] = [],
        actions: [(phase: RulePhase, table: String)]
    ) -> String {
        var lines = ["[[rule]]", "name = \(name.tomlText)"]
        if let filter { lines.append("when = \(quoted(filter))") }
        lines += options.map { "\($0.key) = \($0.value)" }
        for phase in ["connect", "request", "response"] {
            let tables = actions.filter { $0.phase.rawValue == phase }.map(\.table)
            if tables.isEmpty { continue }
            lines.append("\(phase) = [")
            lines += tables.map { "  \($0)," }
            lines.append("]")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Quotes a filter, with single quotes if possible: filters contain `\` and double quotes.
    static func quoted(_ filter: String) -> String {
        let isPlain = filter.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && $0.value != 0x7F && $0 != "'"
        }
        return isPlain ? "'\(filter)'" : filter.tomlText
    }
}

/// Changes of rules that are not written to a file: they are applied to the text of a file, and
/// applied again whenever it changes.
public struct TemporaryRules: Sendable {
    public static let changeCountMax = 100

    /// The changes in the order in which they were made.
    private var changes: [RuleChange] = []

    /// The rules of a file with the changes applied.
    public struct Outcome: Sendable {
        /// The text of the file with the changes.
        public let text: String
        public let rules: RuleSet
        /// The names of the rules that differ from the file.
        public let names: Set<String>
        /// The names of the file's rules that were removed, in their order.
        public let removed: [String]
        /// Changes that cannot be applied to the file, and why.
        public let leftOut: [String]

        fileprivate init(_ text: String, _ rules: RuleSet, leftOut: [String] = []) {
            self.text = text
            self.rules = rules
            names = []
            removed = []
            self.leftOut = leftOut
        }

        fileprivate init(
            _ edited: RulesText, _ rules: RuleSet, from file: RulesText, _ fileRules: RuleSet,
            moved: Set<String>, leftOut: [String]
        ) throws {
            let lines = try edited.linesOfRules()
            let fileLines = try file.linesOfRules()
            let wereEnabled = Dictionary(
                fileRules.rules.map { ($0.name, $0.isEnabled) }, uniquingKeysWith: { $1 })
            text = edited.text
            self.rules = rules
            names = Set(
                rules.rules.filter { rule in
                    moved.contains(rule.name) || lines[rule.name] != fileLines[rule.name]
                        || wereEnabled[rule.name] != rule.isEnabled
                }.map(\.name))
            removed = fileRules.rules.map(\.name).filter { lines[$0] == nil }
            self.leftOut = leftOut
        }

        public static let none = Outcome("", .none)
    }

    public init() {}

    public var isEmpty: Bool { changes.isEmpty }

    /// Applies the changes to the text of a file. Changes that do not fit are left out.
    /// - Parameter now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
    /// - Throws: the problems of the file itself.
    public func laid(
        over text: String, file: String, now: Int64
    ) throws(ConfigurationError) -> Outcome {
        let fileRules = try RulesFile.read(text, file: file, now: now)
        guard !changes.isEmpty else { return Outcome(text, fileRules) }
        let original = try RulesText(text, file: file)
        var (edited, leftOut) = edit(original, file: file, now: nil)
        let rules: RuleSet
        if let read = try? RulesFile.read(edited.text, file: file, now: now) {
            rules = read
        } else {
            (edited, leftOut) = edit(original, file: file, now: now)
            rules = try RulesFile.read(edited.text, file: file, now: now)
        }
        let moved = Set(changes.compactMap(\.movedRule))
        do {
            return try Outcome(
                edited, rules, from: original, fileRules, moved: moved, leftOut: leftOut)
        } catch {
            // The rules are not written under [[rule]]: no change can be applied.
            return Outcome(text, fileRules, leftOut: leftOut)
        }
    }

    /// Applies the changes to a text, and reports which do not fit.
    /// - Parameter now: If not nil, each change must also result in valid rules at this time.
    private func edit(
        _ original: RulesText, file: String, now: Int64?
    ) -> (text: RulesText, leftOut: [String]) {
        var edited = original
        var leftOut: [String] = []
        for change in changes {
            var next = edited
            do {
                try change.apply(to: &next)
                if let now { _ = try RulesFile.read(next.text, file: file, now: now) }
                edited = next
            } catch RulesText.Problem.noRule(let name) where name == change.rule {
                // Its rule was removed, and whoever did that knows it.
                continue
            } catch {
                leftOut.append("\(change.summary): \(error)")
            }
        }
        return (edited, leftOut)
    }

    /// Adds a change, if it fits and its rule is valid.
    /// - Throws: `ConfigurationError` for problems of the rule, with lines counted from its first
    ///   one; `RulesText.Problem`. Nothing is changed then.
    public mutating func make(
        _ change: RuleChange, over text: String, file: String, now: Int64
    ) throws -> Outcome {
        let before = try laid(over: text, file: file, now: now)
        var edited = try RulesText(before.text, file: file)
        try change.apply(to: &edited)
        do {
            _ = try RulesFile.read(edited.text, file: file, now: now)
        } catch {
            // The user has not seen the whole text: the error counts lines of the rule.
            if let rule = change.ruleAfter {
                _ = try RulesFile.read(
                    try edited.text(of: rule), file: "rule \"\(rule)\"", now: now)
            }
            throw error
        }
        var next = try after(change, saying: edited, over: text, file: file, now: now)
        guard next.changes.count <= TemporaryRules.changeCountMax else {
            throw RulesText.Problem.tooManyChanges
        }
        var outcome = try next.laid(over: text, file: file, now: now)
        guard outcome.text.utf8.count <= ConfigurationFile.byteCountMax else {
            throw RulesText.Problem.tooLarge
        }
        if outcome.names.isEmpty, outcome.removed.isEmpty, outcome.leftOut.isEmpty {
            next = TemporaryRules()
            outcome = try next.laid(over: text, file: file, now: now)
        }
        self = next
        return outcome
    }

    /// The changes with one more, and without those that it makes obsolete.
    private func after(
        _ change: RuleChange, saying edited: RulesText, over text: String, file: String, now: Int64
    ) throws -> TemporaryRules {
        if case .remove(let name) = change {
            var shorter = self
            shorter.changes.removeAll { $0.rule == name }
            let left = try shorter.laid(over: text, file: file, now: now)
            if try RulesText(left.text, file: file).hasRules(of: edited) { return shorter }
        }
        var next = self
        next.changes.removeAll { change.supersedes($0) }
        next.changes.append(change)
        return next
    }
}
