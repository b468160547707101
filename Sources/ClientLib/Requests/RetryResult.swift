/// What a retrier decides.
public enum RetryResult: Sendable {
    /// Send it again now.
    case retry
    /// Send it again after a while.
    case retryWithDelay(Duration)
    /// Leave it; the next retrier is asked.
    case doNotRetry
    /// Leave it, and let the request fail with this error; no one else is asked.
    case doNotRetryWithError(any Error)
}

extension RetryResult {
    /// Send it again after so many seconds: at once where they are negative or not a number.
    public static func retryWithDelay(_ seconds: Double) -> RetryResult {
        .retryWithDelay(Duration.clamping(seconds: seconds))
    }
}
