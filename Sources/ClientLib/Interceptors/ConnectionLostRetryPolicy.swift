/// Retries requests whose connection was lost, with `RetryPolicy.connectionLost`.
public struct ConnectionLostRetryPolicy: RequestInterceptor {
    /// The policy that makes the decisions.
    public var policy: RetryPolicy

    /// Creates a policy with a number of retries.
    public init(retryLimit: Int = 2) { policy = .connectionLost(retryLimit: retryLimit) }

    /// Whether a request is retried, and after which delay.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        await policy.retry(request, for: session, dueTo: error)
    }
}
