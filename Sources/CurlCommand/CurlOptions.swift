/// How a command is made of a request.
public struct CurlOptions: Sendable, Hashable {
    /// What is kept secret; nil shows everything.
    public var redaction: Redaction?
    /// Whether the fields are all that is sent, as in a captured head: curl then must not add any
    /// of its own. Otherwise curl may add Host, User-Agent and Accept.
    public var isHeadComplete: Bool
    /// A user who answers challenges, as `-u user:password`; not among the fields.
    public var user: CurlUser?
    /// A Cookie value that is not among the fields, as `-b`.
    public var cookies: [UInt8]?

    /// Options for a description: secrets redacted, the head complete.
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
