/// Which of several captures of one request is served, by its name in a rules file.
public enum MockOrder: String, Sendable, Hashable, CaseIterable {
    /// Each once in the order in which they were recorded, then the last one for ever.
    case thenLast = "then-last"
    /// Each once, and then from the first one again.
    case cycle
    /// Each once; after that the request is unmatched.
    case once
    /// Always the last one.
    case last
}
