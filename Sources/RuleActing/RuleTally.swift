internal import ProxydHTTPModel
internal import ProxydRules

/// Counts what rules did to one exchange, each effect of a rule only once.
struct RuleTally {
    private let inForce: RulesInForce
    private var counted: [String: Set<RuleEffect>] = [:]

    init(_ inForce: RulesInForce) { self.inForce = inForce }

    /// Counts the outcomes of one phase.
    mutating func count(_ applied: [AppliedRule]) {
        for one in applied {
            let effect = RuleEffect(one)
            guard counted[one.rule, default: []].insert(effect).inserted else { continue }
            inForce.count(effect, ofRule: one.rule)
        }
    }
}
