public import ProxydHTTPModel

/// A request as mocks are chosen by it: one that was captured, or one that is to be answered.
public struct MockRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// What it asks for.
    public let url: RawURL
    /// Its fields.
    public let fields: HeaderFields
    /// Its content, content-coding undone.
    public let body: [UInt8]

    /// A request.
    public init(method: HTTPMethod, url: RawURL, fields: HeaderFields, body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}
