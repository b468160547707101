public import ProxydHTTPModel

/// The parts of a request that a redirect changes.
public struct RedirectRequest: Sendable, Hashable {
    /// The method of the next request.
    public var method: HTTPMethod
    /// The URL of the next request.
    public var url: RawURL
    /// The fields that the program set; those for cookies and authentication are added to each
    /// attempt again.
    public var fields: HeaderFields
    /// Whether the body is sent again.
    public var keepsBody: Bool

    /// Creates a request from its parts.
    public init(
        method: HTTPMethod, url: RawURL, fields: HeaderFields, keepsBody: Bool = true
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.keepsBody = keepsBody
    }
}
