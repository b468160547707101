internal import ProxydContentCoding
public import ProxydHTTPModel

/// A request in the form that mocks compare: captured, or to be answered.
public struct MockRequest: Sendable {
    /// The request's method.
    public let method: HTTPMethod
    /// The requested URL.
    public let url: RawURL
    /// The header fields.
    public let fields: HeaderFields
    /// The content with its content codings removed; nil if it is too large to be held, and
    /// therefore equal to no other.
    public let body: [UInt8]?

    /// Creates a request.
    public init(method: HTTPMethod, url: RawURL, fields: HeaderFields, body: [UInt8]? = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// The body in the form that is compared: with content codings removed, if possible.
    static func content(of bytes: [UInt8], _ fields: HeaderFields) -> [UInt8] {
        let decoded = BodyEditor.decoded(bytes, fields)
        return decoded.failure == nil ? decoded.bytes : bytes
    }

    /// Returns the same request for another server.
    func at(_ origin: MockOrigin) -> MockRequest {
        let url = RawURL(
            scheme: origin.scheme, host: origin.host, port: origin.port, origin: url.origin)
        return MockRequest(method: method, url: url, fields: fields, body: body)
    }
}
