/// Sends requests again whose connection was lost: `RetryPolicy.connectionLost`.
public struct ConnectionLostRetryPolicy: RequestInterceptor {
    /// What decides.
    public var policy: RetryPolicy

    /// A policy with a number of retries.
    public init(retryLimit: Int = 2) { policy = .connectionLost(retryLimit: retryLimit) }

    /// Whether, and after which pause, a request is sent again.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        await policy.retry(request, for: session, dueTo: error)
    }
}
