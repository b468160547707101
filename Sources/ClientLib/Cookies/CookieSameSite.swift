/// A cookie's SameSite attribute (RFC 6265bis §5.6.7).
public enum CookieSameSite: String, Sendable, Hashable, CaseIterable {
    /// Only with requests from the same site.
    case strict = "Strict"
    /// Also when one follows a link from another site.
    case lax = "Lax"
    /// Always.
    case none = "None"
}
