/// A retrier's decision.
public enum RetryResult: Sendable {
    /// Retry immediately.
    case retry
    /// Retry after a delay.
    case retryWithDelay(Duration)
    /// Do not retry; the next retrier is asked.
    case doNotRetry
    /// Do not retry, and fail the request with this error; no other retrier is asked.
    case doNotRetryWithError(any Error)
}

extension RetryResult {
    /// Retry after a delay in seconds; immediately if it is negative or NaN.
    public static func retryWithDelay(_ seconds: Double) -> RetryResult {
        .retryWithDelay(Duration.clamping(seconds: seconds))
    }
}
