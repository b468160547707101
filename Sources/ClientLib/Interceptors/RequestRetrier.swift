/// Decides whether a failed request is sent again.
public protocol RequestRetrier: Sendable {
    /// What to do about a failure: that of an adapter, of the network, of validation or of a
    /// serializer. Never asked about a cancelled request.
    func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult
}

/// What a retrier decides.
public enum RetryResult: Sendable {
    /// Send it again now.
    case retry
    /// Send it again after a while.
    case retryWithDelay(Duration)
    /// Leave it; the next retrier is asked.
    case doNotRetry
    /// Leave it, and let the request fail with this error; nobody else is asked.
    case doNotRetryWithError(any Error)
}
