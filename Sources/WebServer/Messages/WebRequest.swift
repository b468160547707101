public import ProxydHTTPModel

/// A complete request, as a handler gets it.
public struct WebRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The segments of the path, percent-decoded; empty for `/`.
    public let path: [String]
    /// The parameters of the query in order, percent-decoded with `+` as a space.
    public let query: [(name: String, value: String)]
    /// The header fields.
    public let fields: HeaderFields
    /// The body.
    public let body: [UInt8]
    /// Whether the client is still there.
    public let cancellation: WebCancellation
    /// The values of the route's `{name}` segments.
    public internal(set) var captured: [String: String] = [:]

    /// Creates a request.
    public init(
        method: HTTPMethod, path: [String], query: [(name: String, value: String)] = [],
        fields: HeaderFields = HeaderFields(), body: [UInt8] = [],
        cancellation: WebCancellation = WebCancellation()
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.cancellation = cancellation
    }

    /// The first value of a query parameter, or nil if the query does not have it.
    public func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// All values of a query parameter, in order.
    public func parameters(named name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }

    /// The value of a `{name}` segment of the route.
    public func segment(_ name: String) -> String { captured[name] ?? "" }
}
