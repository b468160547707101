/// An edit of rules as a value: for a file, or for a daemon's memory.
public enum RuleChange: Sendable, Hashable {
    /// Adds a rule; its lines, from `[[rule]]` on.
    case add(name: String, lines: String, place: RulesText.Place)
    /// Puts other lines in the place of a rule's.
    case replace(name: String, lines: String)
    /// Writes another filter of a rule.
    case setFilter(name: String, filter: String)
    /// Switches a rule on or off.
    case switchRule(name: String, isOn: Bool)
    /// Switches a group of rules on or off.
    case switchGroup(name: String, isOn: Bool)
    /// Moves a rule.
    case move(name: String, place: RulesText.Place)
    /// Takes a rule out.
    case remove(name: String)

    /// Makes the change in a text. What rules mean is not judged.
    /// - Throws: `RulesText.Problem`; for lines that are no TOML `ConfigurationError`.
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

    /// The rule that it is about; nil for a group.
    public var rule: String? {
        switch self {
        case .add(let name, _, _), .replace(let name, _), .setFilter(let name, _),
            .switchRule(let name, _), .move(let name, _), .remove(let name):
            name
        case .switchGroup: nil
        }
    }

    /// What the rule is called after it; nil for a group, and where it is gone.
    public var ruleAfter: String? {
        switch self {
        case .replace(_, let lines): try? RulesText.name(ofOne: lines)
        case .remove: nil
        default: rule
        }
    }

    /// The rule that it moves; nil where it does something else.
    var movedRule: String? {
        guard case .move(let name, _) = self else { return nil }
        return name
    }

    /// Whether an earlier change comes to nothing by this one.
    func supersedes(_ earlier: RuleChange) -> Bool {
        switch (self, earlier) {
        case (.switchRule(let name, _), .switchRule(let other, _)),
            (.switchGroup(let name, _), .switchGroup(let other, _)),
            (.setFilter(let name, _), .setFilter(let other, _)):
            name == other
        default: false
        }
    }

    /// What it does, in a few words.
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
