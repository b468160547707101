/// Which redirects are followed, and what goes along.
public struct RedirectPolicy: Sendable, Hashable {
    /// Redirects in a row.
    public var countMax: Int
    /// Whether a redirect may leave TLS: what was asked for in private is then asked in public.
    public var allowsLeavingTLS: Bool
    /// Whether 301 and 302 keep POST, as they did before browsers made it GET
    /// (RFC 9110 §15.4.2).
    public var keepsPost: Bool
    /// Fields that are for one origin only, lower case: they are not sent to another.
    public var originFieldNames: Set<String>

    /// Credentials, and what names the page that asks.
    public static let defaultOriginFieldNames: Set<String> = [
        "authorization", "cookie", "cookie2", "origin", "proxy-authorization", "x-api-key",
        "x-auth-token", "x-csrf-token",
    ]

    /// At most 20, within TLS, POST becoming GET.
    public init(
        countMax: Int = 20, allowsLeavingTLS: Bool = false, keepsPost: Bool = false,
        originFieldNames: Set<String> = RedirectPolicy.defaultOriginFieldNames
    ) {
        self.countMax = countMax
        self.allowsLeavingTLS = allowsLeavingTLS
        self.keepsPost = keepsPost
        self.originFieldNames = originFieldNames
    }
}
