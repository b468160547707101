/// Decides whether a failed request is sent again.
///
/// Implement one of the two methods; the second is for code that was written for Alamofire. Both
/// can be called, whichever is implemented.
public protocol RequestRetrier: Sendable {
    /// What to do about an error from an adapter, the network, validation or a serializer. Never
    /// called for a cancelled request.
    func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult
    /// The same with a completion handler, which must be called exactly once.
    func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void)
}

extension RequestRetrier {
    /// Returns the result of the method with a completion handler.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        await AskedForm.$retrier.withValue(ObjectIdentifier(Self.self)) {
            await withCheckedContinuation { continuation in
                retry(request, for: session, dueTo: error) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Calls the other method; returns `.doNotRetry` if that is not implemented either.
    public func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard AskedForm.retrier != ObjectIdentifier(Self.self) else {
            return completion(.doNotRetry)
        }
        let failure = ClientError.wrapping(error, as: .requestRetryFailed)
        Task { completion(await retry(request, for: session, dueTo: failure)) }
    }
}
