internal import ProxydConfigurationText
public import ProxydHTTPModel

/// A rule as command lines and forms give it: a filter, and actions in their short form.
public struct NewRule: Sendable, Hashable {
    public struct Action: Sendable, Hashable {
        public var phase: RulePhase
        /// `VERB REST`, or an inline table.
        public var text: String

        public init(_ phase: RulePhase, _ text: String) {
            self.phase = phase
            self.text = text
        }
    }

    /// A key of the rule, such as `limit`, and its value in TOML syntax.
    public struct Option: Sendable, Hashable {
        public var key: String
        public var value: String

        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    /// What is wrong with a part of the rule.
    public struct Mistake: Sendable, Hashable {
        /// The key of the part: `when`, `request`, `name`; nil for the whole rule.
        public let part: String?
        public let message: String
    }

    /// At least one mistake.
    public struct Mistakes: Error, Sendable, Hashable, CustomStringConvertible {
        public let all: [Mistake]

        public var description: String {
            all.map { "\($0.part ?? "the rule"): \($0.message)" }.joined(separator: "; ")
        }
    }

    public var name: String
    /// The exchanges that it applies to; nil for all.
    public var filter: String?
    /// The group that it is switched with; nil for none.
    public var group: String?
    public var options: [Option]
    public var actions: [Action]

    public init(
        _ name: String, when filter: String?, group: String? = nil, options: [Option] = [],
        actions: [Action]
    ) {
        self.name = name
        self.filter = filter
        self.group = group
        self.options = options
        self.actions = actions
    }

    /// The lines for a rules file. Scripts that are not in the rule are not looked for.
    /// - Parameter now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
    public func lines(now: Int64) throws(Mistakes) -> String {
        let lines = try uncheckedLines()
        try NewRule.check(lines, now: now)
        return lines
    }

    /// The lines for a rules file. Of the actions only the short form is read.
    public func uncheckedLines() throws(Mistakes) -> String {
        var tables: [(phase: RulePhase, table: String)] = []
        for action in actions {
            do throws(RuleShortForm.Problem) {
                tables.append((action.phase, try RuleShortForm.table(action.text)))
            } catch {
                let part = action.phase.rawValue
                throw Mistakes(all: [Mistake(part: part, message: error.description)])
            }
        }
        let keys = (group.map { [Option("group", $0.tomlText)] } ?? []) + options
        return RuleShortForm.rule(
            name, when: filter, options: keys.map { ($0.key, $0.value) }, actions: tables)
    }

    /// Reads the rule alone, so that mistakes are blamed on its parts instead of lines of a file.
    private static func check(_ rule: String, now: Int64) throws(Mistakes) {
        do throws(ConfigurationError) {
            _ = try RulesFile.read(rule, file: "rule", now: now)
        } catch {
            // The scripts are in the file.
            let own = error.problems.filter { !$0.message.contains("there is no script named") }
            guard !own.isEmpty else { return }
            let lines = rule.split(separator: "\n", omittingEmptySubsequences: false)
            throw Mistakes(
                all: own.map { Mistake(part: part(of: $0, in: lines), message: $0.message) })
        }
    }

    /// The key that a line of the rule belongs to.
    private static func part(of problem: ConfigurationProblem, in lines: [Substring]) -> String? {
        let number = problem.location.split(separator: ":").last.flatMap { Int($0) } ?? 0
        let keys = ["name", "when", "group", "limit", "stop", "connect", "request", "response"]
        return lines.prefix(max(0, number)).reversed()
            .map { String($0.prefix { $0 != " " }) }
            .first(where: keys.contains)
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
