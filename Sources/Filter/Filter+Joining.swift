extension Filter {
    /// Whether the filter is a disjunction: its text must be put in parentheses before it can be
    /// joined with another condition.
    public var isAlternative: Bool {
        if case .any = expression { return true }
        return false
    }
}
