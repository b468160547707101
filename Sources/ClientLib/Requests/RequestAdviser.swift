internal import ProxydHTTPModel

/// An interceptor as a request asks it: it knows which request and which session it is asked about.
struct RequestAdviser: Sendable {
    /// The request to send in place of this one.
    let adapt: @Sendable (HTTPRequest) async throws -> HTTPRequest
    /// What to do about a failure.
    let retry: @Sendable (ClientError) async -> RetryResult
}
