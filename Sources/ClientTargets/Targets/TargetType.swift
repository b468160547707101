public import ProxydHTTPModel

/// A request that a server supports: its location, the data to send and the responses to accept.
///
/// Usually an enum with a case for each request, sent by a `Provider`.
public protocol TargetType: Sendable {
    /// The common start of the URLs of all targets of the server; may have a path and a query.
    var baseURL: RawURL { get }
    /// The path after that of `baseURL`; may be empty. A `?` starts a query. Characters that are
    /// not allowed in a URL are percent-encoded; existing escapes are kept.
    var path: String { get }
    /// The request method.
    var method: HTTPMethod { get }
    /// The data to send, and where the response goes.
    var task: RequestTask { get }
    /// Header fields, or nil for none.
    var headers: HeaderFields? { get }
    /// The body of a stub's response, with status 200.
    var sampleData: [UInt8] { get }
    /// The response of a stub.
    var sample: SampleResponse { get }
    /// The statuses that are accepted.
    var validationType: ValidationType { get }
}

extension TargetType {
    /// An empty body by default.
    public var sampleData: [UInt8] { [] }
    /// `sampleData` with status 200 by default.
    public var sample: SampleResponse { .networkResponse(200, sampleData) }
    /// Every status is accepted by default.
    public var validationType: ValidationType { .none }
}
