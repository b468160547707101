/// A change to the rules in the daemon's memory only, not in the file.
public enum RuleChangeMessage: Sendable, Hashable, Codable {
    /// The position for a rule.
    public enum Place: Sendable, Hashable, Codable {
        /// Before all others.
        case first
        /// After all others.
        case last
        /// Immediately before the named rule.
        case before(name: String)
        /// Immediately after the named rule.
        case after(name: String)
    }

    /// Adds a rule from lines in the file's format, starting with `[[rule]]`.
    case add(name: String, lines: String, place: Place)
    /// Replaces the lines of a rule.
    case replace(name: String, lines: String)
    /// Replaces the filter of a rule.
    case setFilter(name: String, filter: String)
    /// Switches a rule on or off.
    case switchRule(name: String, isOn: Bool)
    /// Switches a group of rules on or off.
    case switchGroup(name: String, isOn: Bool)
    /// Moves a rule.
    case move(name: String, place: Place)
    /// Removes a rule; one that is only in memory is lost.
    case remove(name: String)
    /// Reverts all changes, so that the rules are those of the file again.
    case forgetAll
}
