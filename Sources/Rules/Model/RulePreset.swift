/// Frequent combinations of edits, with a name.
public enum RulePreset: String, Sendable, Hashable, CaseIterable {
    /// A GET or HEAD is not answered from a cache, and its response is not stored in one.
    case noCache = "no-cache"
    /// No cookies are forwarded in either direction.
    case blockCookies = "block-cookies"
}
