internal import HTTPModel

/// An adapter and a retrier in one.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    /// Leaves the request as it is.
    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        request
    }

    /// Leaves the failure as it is.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        .doNotRetry
    }
}
