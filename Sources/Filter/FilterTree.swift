/// How the tests of a filter are joined, whatever they look at.
package indirect enum FilterTree<Test: Sendable>: Sendable {
    /// Always holds.
    case everything
    /// Holds where all do.
    case all([FilterTree])
    /// Holds where one does.
    case any([FilterTree])
    /// Holds where the other does not.
    case not(FilterTree)
    /// One look at one thing.
    case test(Test)

    /// What it says where each test says what `decide` says. A part that decides alone leaves the
    /// parts after it unasked.
    func decision(_ decide: (Test) -> FilterDecision) -> FilterDecision {
        switch self {
        case .everything: .passes
        case .all(let parts): FilterTree.decision(of: parts, unless: .fails, decide)
        case .any(let parts): FilterTree.decision(of: parts, unless: .passes, decide)
        case .not(let part): part.decision(decide).negated
        case .test(let test): decide(test)
        }
    }

    /// What all parts say, unless one of them says what decides for all.
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
