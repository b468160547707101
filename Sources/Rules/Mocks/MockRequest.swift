internal import ProxydContentCoding
public import ProxydHTTPModel

/// A request as mocks are chosen by it: one that was captured, or one that is to be answered.
public struct MockRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// What it asks for.
    public let url: RawURL
    /// Its fields.
    public let fields: HeaderFields
    /// Its content, content-coding undone; nil where it has more bytes than are held back, so that
    /// it is the same as none.
    public let body: [UInt8]?

    /// A request.
    public init(method: HTTPMethod, url: RawURL, fields: HeaderFields, body: [UInt8]? = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// A body as it is compared: content codings undone, where that can be done.
    static func content(of octets: [UInt8], _ fields: HeaderFields) -> [UInt8] {
        let decoded = BodyEditor.decoded(octets, fields)
        return decoded.failure == nil ? decoded.octets : octets
    }

    /// The same, asked of another server.
    func at(_ origin: MockOrigin) -> MockRequest {
        let url = RawURL(
            scheme: origin.scheme, host: origin.host, port: origin.port, origin: url.origin)
        return MockRequest(method: method, url: url, fields: fields, body: body)
    }
}
