public import ProxydConfigurationText

/// Changes of rules that are not written to a file: they are applied to the text of a file, and
/// applied again whenever it changes.
public struct TemporaryRules: Sendable {
    /// The maximum number of changes that are kept.
    public static let changeCountMax = 100

    /// The changes in the order in which they were made.
    private var changes: [RuleChange] = []

    /// The rules of a file with the changes applied.
    public struct Outcome: Sendable {
        /// The text of the file with the changes.
        public let text: String
        /// The rules of this text.
        public let rules: RuleSet
        /// The names of the rules that differ from the file.
        public let names: Set<String>
        /// The names of the file's rules that were removed, in their order.
        public let removed: [String]
        /// Changes that cannot be applied to the file, and why.
        public let leftOut: [String]

        /// The outcome without any changes.
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

        /// An outcome without rules.
        public static let none = Outcome("", .none)
    }

    /// Creates an empty list of changes.
    public init() {}

    /// Whether there are no changes.
    public var isEmpty: Bool { changes.isEmpty }

    /// Applies the changes to the text of a file. Changes that do not fit are left out.
    /// - Parameters:
    ///   - file: The file's name, for messages.
    ///   - now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
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
            // The user has not seen the whole text, so the error is reported with lines of the
            // rule.
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
