public import ProxydFilter

/// One rule: which exchanges it is for, and what it does to them.
public struct Rule: Sendable {
    /// Which messages a rule's filter looks at.
    public enum View: String, Sendable, Hashable, CaseIterable {
        /// As they came: whether a rule matches does not depend on the rules before it.
        case received
        /// As the rules before it left them.
        case changed
    }

    /// What it is called; unique in its set.
    public let name: String
    /// The line of the file where it begins, from 1.
    public let line: Int
    /// What its file says, but for whether it is switched on: a rule that says something else is
    /// another one.
    public let text: String
    /// Which exchanges it is for.
    public let filter: Filter
    /// Whether it is looked at: it is switched on, and so is its group.
    public let isEnabled: Bool
    /// The group it is switched with; nil for none.
    public let group: String?
    /// Whether, where it matches, the rules after it are not looked at in that phase.
    public let stops: Bool
    /// After how many exchanges it rests; nil for never.
    public let hitCountMax: Int?
    /// What its filter looks at.
    public let view: View
    /// What it does, phase by phase, in order.
    public let actions: [RulePhase: [RuleAction]]

    /// A rule whose parts were checked.
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

    /// What it does in a phase; empty for nothing.
    public func actions(in phase: RulePhase) -> [RuleAction] { actions[phase] ?? [] }
}
