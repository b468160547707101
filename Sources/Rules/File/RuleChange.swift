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
        case (.replace(let name, _), .replace(let other, _)):
            name == other && earlier.ruleAfter == other
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
