internal import ProxydRules

/// Identifies a rule that has not changed when the file is read again.
struct RuleIdentity: Hashable {
    private let name: String
    private let text: String

    init(_ rule: Rule) {
        name = rule.name
        text = rule.text
    }
}
