/// A change of the rules in the daemon's memory; no file has it.
public enum RuleChangeMessage: Sendable, Hashable, Codable {
    /// Where a rule comes to stand.
    public enum Place: Sendable, Hashable, Codable {
        /// Before all others.
        case first
        /// After all others.
        case last
        /// Right before the rule of a name.
        case before(name: String)
        /// Right after the rule of a name.
        case after(name: String)
    }

    /// Adds a rule: its lines as a file has them, from `[[rule]]` on.
    case add(name: String, lines: String, place: Place)
    /// Puts other lines in the place of a rule's.
    case replace(name: String, lines: String)
    /// Gives a rule another filter.
    case setFilter(name: String, filter: String)
    /// Switches a rule on or off.
    case switchRule(name: String, isOn: Bool)
    /// Switches a group of rules on or off.
    case switchGroup(name: String, isOn: Bool)
    /// Moves a rule.
    case move(name: String, place: Place)
    /// Takes a rule out; one that is only in memory for good.
    case remove(name: String)
    /// Forgets all changes: the rules are those of the file again.
    case forgetAll
}
