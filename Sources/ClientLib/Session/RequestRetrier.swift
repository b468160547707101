/// Decides whether a failed request is sent again.
///
/// One of the two methods is enough: the second is for code that was written for Alamofire. Both
/// can be called, whichever was written.
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
        await AskedForm.$retrier.withValue(ObjectIdentifier(Self.self)) {
            await withCheckedContinuation { continuation in
                retry(request, for: session, dueTo: error) { continuation.resume(returning: $0) }
            }
        }
    }

    /// What the other method says; `.doNotRetry` where there is none.
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
