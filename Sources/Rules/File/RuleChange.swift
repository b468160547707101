/// An edit of rules as a value, for a file or for the temporary rules of a daemon.
public enum RuleChange: Sendable, Hashable {
    /// Adds a rule; `lines` starts with `[[rule]]`.
    case add(name: String, lines: String, place: RulesText.Place)
    /// Replaces the lines of a rule.
    case replace(name: String, lines: String)
    /// Replaces the filter of a rule.
    case setFilter(name: String, filter: String)
    /// Enables or disables a rule.
    case switchRule(name: String, isOn: Bool)
    /// Enables or disables a group of rules.
    case switchGroup(name: String, isOn: Bool)
    /// Moves a rule to another position.
    case move(name: String, place: RulesText.Place)
    /// Removes a rule.
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

    /// A short description of the change.
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
