public import ProxydHTTPModel

/// One of the things that can be asked of a server: where it is, what is sent, what is accepted.
///
/// Usually an enum with a case for each, sent by a `Provider`.
public protocol TargetType: Sendable {
    /// What all targets of the server have in common; may have a path and a query.
    var baseURL: RawURL { get }
    /// What follows the path of `baseURL`; empty for nothing. A `?` begins a query. Characters that
    /// a URL cannot hold are percent-encoded; what is percent-encoded already stays.
    var path: String { get }
    /// The method.
    var method: HTTPMethod { get }
    /// What is sent, and where the response goes.
    var task: RequestTask { get }
    /// Header fields; nil for none of its own.
    var headers: HeaderFields? { get }
    /// The body of the response that a stub gives, with status 200.
    var sampleData: [UInt8] { get }
    /// What a stub gives.
    var sample: SampleResponse { get }
    /// Which statuses are accepted.
    var validationType: ValidationType { get }
}

extension TargetType {
    /// No body.
    public var sampleData: [UInt8] { [] }
    /// `sampleData` with status 200.
    public var sample: SampleResponse { .networkResponse(200, sampleData) }
    /// Every status.
    public var validationType: ValidationType { .none }
}
