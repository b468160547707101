extension Filter {
    /// Whether the filter is a disjunction: its text must be put in parentheses before it can be
    /// joined with another condition.
    public var isAlternative: Bool {
        if case .any = expression { return true }
        return false
    }

    /// The filter that passes what passes all of these. It has no looks, because it was not typed.
    package static func all(_ filters: [Filter]) -> Filter {
        let filters = filters.filter { !$0.matchesEverything }
        if filters.isEmpty { return .everything }
        return Filter(
            text: filters.map { "(\($0.text))" }.joined(separator: " "), looks: [], meanings: [],
            expression: .all(filters.map(\.expression)))
    }

    /// The filter that passes what this one does not. It has no looks, because it was not typed.
    package var negated: Filter {
        Filter(
            text: matchesEverything ? "not ~all" : "not (\(text))", looks: [], meanings: [],
            expression: .not(expression))
    }
}
