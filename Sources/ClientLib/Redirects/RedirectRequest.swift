public import ProxydHTTPModel

/// The parts of a request that a redirect changes.
public struct RedirectRequest: Sendable, Hashable {
    /// The method.
    public var method: HTTPMethod
    /// Where it goes.
    public var url: RawURL
    /// The fields that the program gave: those of a cookie jar and of authentication are added to
    /// each attempt anew.
    public var fields: HeaderFields
    /// Whether the body is sent again.
    public var keepsBody: Bool

    /// The parts of a request.
    public init(
        method: HTTPMethod, url: RawURL, fields: HeaderFields, keepsBody: Bool = true
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.keepsBody = keepsBody
    }
}
