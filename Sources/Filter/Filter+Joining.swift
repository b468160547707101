extension Filter {
    /// Whether one of several parts is enough to pass: its text has to stand in parentheses where
    /// more is to hold.
    public var isAlternative: Bool {
        if case .any = expression { return true }
        return false
    }
}
