/// A cookie's SameSite attribute (RFC 6265bis §5.6.7).
public enum CookieSameSite: String, Sendable, Hashable, CaseIterable {
    /// Sent only with requests from the same site.
    case strict = "Strict"
    /// Also sent when a link from another site is followed.
    case lax = "Lax"
    /// Always sent.
    case none = "None"
}
