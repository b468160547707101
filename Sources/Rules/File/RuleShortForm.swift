public import ProxydHTTPModel
internal import ProxydConfigurationText

/// Converts an action in the short form of a command line to the form of a rules file.
///
/// `VERB REST`: `set header:X-A=1`, `remove query:debug`, `block 403`, `send_to https://h.test`.
/// Text that starts with `{` is already in the form of the file.
public enum RuleShortForm {
    /// Why a text is not an action.
    public struct Problem: Error, Sendable, CustomStringConvertible {
        /// A message for the user.
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

    /// Quotes a filter. Filters contain backslashes and double quotes, so single quotes are used if
    /// possible.
    static func quoted(_ filter: String) -> String {
        let isPlain = filter.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && $0.value != 0x7F && $0 != "'"
        }
        return isPlain ? "'\(filter)'" : filter.tomlText
    }
}
