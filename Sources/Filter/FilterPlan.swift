/// An engine-independent query plan for a store: the tests and how they are combined. A
/// `FilterDialect` translates it into the engine's language.
package struct FilterPlan: Sendable {
    private let parts: [FilterExpression]

    init(_ expression: FilterExpression) {
        parts = if case .all(let parts) = expression { parts } else { [expression] }
    }

    /// The tests that every passing exchange satisfies, in the filter's order. An index can be used
    /// on them to reduce the number of rows.
    package var requiredTests: [FilterTest] { parts.flatMap(FilterPlan.requiredTests) }

    private static func requiredTests(of expression: FilterExpression) -> [FilterTest] {
        switch expression {
        case .all(let parts): parts.flatMap(requiredTests)
        case .test(let test): [test]
        case .everything, .any, .not: []
        }
    }

    /// Translates the plan. Exchanges that the condition lets through must also pass the predicate,
    /// which is nil if the condition decides alone.
    package func written<Dialect: FilterDialect>(
        in dialect: Dialect.Type
    ) -> (condition: Dialect.Condition, residual: FilterPredicate?) {
        var rest: [FilterExpression] = []
        let conditions = parts.map { part in
            let condition = FilterPlan.condition(for: part, isNegated: false, dialect)
            if !condition.isExact { rest.append(part) }
            return condition
        }
        return (
            .conjunction(conditions), rest.isEmpty ? nil : FilterPredicate(expression: .all(rest))
        )
    }

    /// `not` is pushed down to the tests, so that a part that the dialect cannot decide never turns
    /// "too many rows" into "too few".
    private static func condition<Dialect: FilterDialect>(
        for expression: FilterExpression, isNegated: Bool, _ dialect: Dialect.Type
    ) -> Dialect.Condition {
        switch expression {
        case .everything: return isNegated ? .none : .all
        case .not(let part): return condition(for: part, isNegated: !isNegated, dialect)
        case .all(let parts), .any(let parts):
            let isAll = if case .all = expression { !isNegated } else { isNegated }
            let conditions = parts.map { condition(for: $0, isNegated: isNegated, dialect) }
            return isAll ? .conjunction(conditions) : .disjunction(conditions)
        case .test(let test):
            let condition = dialect.condition(for: test)
            return isNegated ? condition.negated : condition
        }
    }
}

/// The part of a filter that an engine cannot decide: often regular expressions, header fields and
/// decoded bodies.
package struct FilterPredicate: Sendable {
    let expression: FilterExpression

    /// Whether an exchange passes.
    package func matches(_ subject: some FilterSubject) -> Bool {
        expression.decision(subject) == .passes
    }
}
