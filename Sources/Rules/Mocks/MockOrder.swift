/// Which of several captures of one request is served; the raw values are used in rules files.
public enum MockOrder: String, Sendable, Hashable, CaseIterable {
    /// Each once in the order in which they were recorded, then the last one forever.
    case thenLast = "then-last"
    /// Each once in the order in which they were recorded, then from the first one again.
    case cycle
    /// Each once; after that, the request is unmatched.
    case once
    /// Always the most recent one.
    case last
}
