internal import ProxydHTTPModel

/// An interceptor bound to one request and its session.
struct RequestAdviser: Sendable {
    /// The request to send instead of the given one.
    let adapt: @Sendable (HTTPRequest) async throws -> HTTPRequest
    /// What to do about a failure.
    let retry: @Sendable (ClientError) async -> RetryResult
}
