public import ProxydConfigurationText

/// Changes of rules that no file has: they are laid over a file's text, and again whenever that
/// is another.
public struct TemporaryRules: Sendable {
    /// As many are kept.
    public static let changeCountMax = 100

    /// In the order in which they were made.
    private var changes: [RuleChange] = []

    /// The rules of a file with the changes.
    public struct Outcome: Sendable {
        /// The text that says all of them.
        public let text: String
        /// What it says.
        public let rules: RuleSet
        /// The rules that are not as the file has them, by name.
        public let names: Set<String>
        /// The rules of the file that are taken out, in their order.
        public let removed: [String]
        /// Changes that do not fit the file, and why.
        public let leftOut: [String]

        /// Those of a file as it is.
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

        /// No rules.
        public static let none = Outcome("", .none)
    }

    /// No changes.
    public init() {}

    /// Whether there are none.
    public var isEmpty: Bool { changes.isEmpty }

    /// The rules of a file's text with the changes. What does not fit is left out.
    /// - Parameters:
    ///   - file: The file's name, for messages.
    ///   - now: What `-15m` counts from in a filter, in nanoseconds since 1970.
    /// - Throws: what is wrong with the file itself.
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
            // Rules that are not under [[rule]]: no change fits them.
            return Outcome(text, fileRules, leftOut: leftOut)
        }
    }

    /// Makes the changes in a text, and tells which do not fit.
    /// - Parameter now: Where each is to be judged by what the rules mean then; nil for not.
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

    /// Makes one more change, where it fits and its rule has no mistake.
    /// - Throws: `ConfigurationError` for mistakes in the rule, whose lines are counted from its
    ///   first one; `RulesText.Problem`. Nothing is changed then.
    public mutating func make(
        _ change: RuleChange, over text: String, file: String, now: Int64
    ) throws -> Outcome {
        let before = try laid(over: text, file: file, now: now)
        var edited = try RulesText(before.text, file: file)
        try change.apply(to: &edited)
        do {
            _ = try RulesFile.read(edited.text, file: file, now: now)
        } catch {
            // No one has seen the lines of all: those of the rule say where it is.
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

    /// The changes with one more, and without those that come to nothing by it.
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
