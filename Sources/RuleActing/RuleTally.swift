internal import ProxydHTTPModel
internal import ProxydRules

/// What rules did to one exchange, so that each effect of a rule is counted once.
struct RuleTally {
    private let inForce: RulesInForce
    private var counted: [String: Set<RuleEffect>] = [:]

    init(_ inForce: RulesInForce) { self.inForce = inForce }

    /// Counts what came of one phase.
    mutating func count(_ applied: [AppliedRule]) {
        for one in applied {
            let effect = RuleEffect(one)
            guard counted[one.rule, default: []].insert(effect).inserted else { continue }
            inForce.count(effect, ofRule: one.rule)
        }
    }
}
