/// Edits that are asked for together so often that they have a name.
public enum RulePreset: String, Sendable, Hashable, CaseIterable {
    /// A GET or HEAD is answered anew: nothing of it is taken from a cache, or kept in one.
    case noCache = "no-cache"
    /// No cookie goes either way.
    case blockCookies = "block-cookies"
}
