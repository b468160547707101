internal import ProxydRules

/// What makes a rule the same one after the file was read again.
struct RuleIdentity: Hashable {
    private let name: String
    private let text: String

    init(_ rule: Rule) {
        name = rule.name
        text = rule.text
    }
}
