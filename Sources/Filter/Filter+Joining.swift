extension Filter {
    /// Whether the filter is a disjunction: its text must be put in parentheses before it can be
    /// joined with another condition.
    public var isAlternative: Bool {
        if case .any = expression { return true }
        return false
    }

    /// The conjunction of filters. It has no looks, because it was not typed.
    package static func all(_ filters: [Filter]) -> Filter {
        let filters = filters.filter { !$0.matchesEverything }
        if filters.isEmpty { return .everything }
        return Filter(
            text: filters.map { "(\($0.text))" }.joined(separator: " "), looks: [], meanings: [],
            expression: .all(filters.map(\.expression)))
    }

    /// The negation of this filter. It has no looks, because it was not typed.
    package var negated: Filter {
        Filter(
            text: matchesEverything ? "not ~all" : "not (\(text))", looks: [], meanings: [],
            expression: .not(expression))
    }
}
