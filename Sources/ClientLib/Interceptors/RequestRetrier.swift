/// Decides whether a failed request is sent again.
///
/// One of the two methods is enough: the second is for code that was written for Alamofire, and
/// asked only where the first is not there.
public protocol RequestRetrier: Sendable {
    /// What to do about a failure: that of an adapter, of the network, of validation or of a
    /// serializer. Never asked about a cancelled request.
    func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult
    /// The same, told to `completion`, which must be called once.
    func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void)
}

extension RequestRetrier {
    /// What the method with a completion handler tells.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        await withCheckedContinuation { continuation in
            retry(request, for: session, dueTo: error) { continuation.resume(returning: $0) }
        }
    }

    /// Leaves the failure as it is.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        completion(.doNotRetry)
    }
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

extension RetryResult {
    /// Send it again after so many seconds: at once where they are negative or not a number.
    public static func retryWithDelay(_ seconds: Double) -> RetryResult {
        .retryWithDelay(Duration.clamping(seconds: seconds))
    }
}
