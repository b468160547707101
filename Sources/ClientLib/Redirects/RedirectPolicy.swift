/// Which redirects are followed, and which fields are sent along.
public struct RedirectPolicy: Sendable, Hashable {
    /// The most redirects in a row.
    public var countMax: Int
    /// Whether a redirect may lead from https to http, which would send a private request in plain
    /// text.
    public var allowsLeavingTLS: Bool
    /// Whether 301 and 302 keep POST, as originally specified; browsers change it to GET (RFC 9110
    /// §15.4.2).
    public var keepsPost: Bool
    /// Names of fields, in lower case, that are not sent to another origin.
    public var originFieldNames: Set<String>

    /// Credentials, and fields that identify the requesting page.
    public static let defaultOriginFieldNames: Set<String> = [
        "authorization", "cookie", "cookie2", "origin", "proxy-authorization", "x-api-key",
        "x-auth-token", "x-csrf-token",
    ]

    /// Creates a policy; the defaults are at most 20 redirects, none from https to http, and POST
    /// becoming GET.
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
