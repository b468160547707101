public import ProxydFilter

/// One rule: the exchanges that it selects, and its actions.
public struct Rule: Sendable {
    /// The form of the messages that a rule's filter examines.
    public enum View: String, Sendable, Hashable, CaseIterable {
        /// As they came: whether a rule matches does not depend on earlier rules.
        case received
        /// As changed by earlier rules.
        case changed
    }

    /// The name of the rule, unique in its set.
    public let name: String
    /// The line of the file in which the rule starts, from 1.
    public let line: Int
    /// The text of the rule without its `enabled` line, used to detect changes: a rule with another
    /// text is another rule.
    public let text: String
    /// Selects the exchanges that the rule acts on.
    public let filter: Filter
    /// Whether the rule and its group are enabled.
    public let isEnabled: Bool
    /// The group that enables or disables it; nil for none.
    public let group: String?
    /// Whether later rules are skipped in a phase in which this rule matches.
    public let stops: Bool
    /// The maximum number of exchanges that it acts on; nil for no limit.
    public let hitCountMax: Int?
    /// The form of the messages that its filter examines.
    public let view: View
    /// The actions by phase, in order.
    public let actions: [RulePhase: [RuleAction]]

    /// Creates a rule from parts that have been checked.
    init(
        name: String, line: Int, text: String, filter: Filter, isEnabled: Bool, group: String?,
        stops: Bool, hitCountMax: Int?, view: View, actions: [RulePhase: [RuleAction]]
    ) {
        self.name = name
        self.line = line
        self.text = text
        self.filter = filter
        self.isEnabled = isEnabled
        self.group = group
        self.stops = stops
        self.hitCountMax = hitCountMax
        self.view = view
        self.actions = actions
    }

    /// Returns the actions of a phase; empty if there are none.
    public func actions(in phase: RulePhase) -> [RuleAction] { actions[phase] ?? [] }

    /// Whether the rule is evaluated in a phase: it has actions there, or it has none at all and
    /// only stops later rules, in every phase in which its filter can be decided.
    func takesPart(in phase: RulePhase) -> Bool {
        if !actions.isEmpty { return !actions(in: phase).isEmpty }
        return stops && filter.moment <= phase.filterMoment
    }
}
