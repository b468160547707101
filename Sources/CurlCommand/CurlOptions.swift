public import ProxydRedaction

/// Options for creating a command from a request.
public struct CurlOptions: Sendable, Hashable {
    /// What is hidden; nil shows everything.
    public var redaction: Redaction?
    /// Whether the fields are complete, as in a captured head, so that curl must not add any.
    /// Otherwise curl may add Host, User-Agent and Accept.
    public var isHeadComplete: Bool
    /// A user for authentication challenges, as in `-u user:password`; not among the fields.
    public var user: CurlUser?
    /// A Cookie value that is not among the fields, as in `-b`.
    public var cookies: [UInt8]?

    /// Creates options; by default secrets are redacted and the head is complete.
    public init(
        redaction: Redaction? = Redaction(), isHeadComplete: Bool = true, user: CurlUser? = nil,
        cookies: [UInt8]? = nil
    ) {
        self.redaction = redaction
        self.isHeadComplete = isHeadComplete
        self.user = user
        self.cookies = cookies
    }
}
