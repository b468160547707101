/// A tree that combines the tests of a filter, independent of what they test.
package indirect enum FilterTree<Test: Sendable>: Sendable {
    /// Always holds.
    case everything
    /// Holds if all parts hold.
    case all([FilterTree])
    /// Holds if at least one part holds.
    case any([FilterTree])
    /// Holds if the inner tree does not.
    case not(FilterTree)
    /// A single test.
    case test(Test)

    /// Evaluates the tree with the result of `decide` for each test. Evaluation stops at the first
    /// part that determines the result.
    func decision(_ decide: (Test) -> FilterDecision) -> FilterDecision {
        switch self {
        case .everything: .passes
        case .all(let parts): FilterTree.decision(of: parts, unless: .fails, decide)
        case .any(let parts): FilterTree.decision(of: parts, unless: .passes, decide)
        case .not(let part): part.decision(decide).negated
        case .test(let test): decide(test)
        }
    }

    /// The common result of all parts, unless one part alone determines the result.
    private static func decision(
        of parts: [FilterTree], unless decisive: FilterDecision,
        _ decide: (Test) -> FilterDecision
    ) -> FilterDecision {
        var decision = decisive.negated
        for part in parts {
            let said = part.decision(decide)
            if said == decisive { return said }
            if said == .open { decision = .open }
        }
        return decision
    }
}
