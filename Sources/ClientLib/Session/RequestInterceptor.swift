/// An adapter and a retrier in one type.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

/// Changes requests before they are sent, for example to add a token, to sign or to choose another
/// host.
///
/// Implement one of the three methods; the two with a completion handler are for code that was
/// written for Alamofire. Any of them can be called, whichever is implemented.
public protocol RequestAdapter: Sendable {
    /// The request to send instead of `request`. Called for each attempt.
    /// - Throws: why it cannot be sent; retriers then decide what to do about it.
    func adapt(_ request: HTTPRequest, using state: RequestAdapterState) async throws -> HTTPRequest
    /// The same with a completion handler, which must be called exactly once.
    func adapt(
        _ urlRequest: HTTPRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void)
    /// The same for adapters that need only the session.
    func adapt(
        _ urlRequest: HTTPRequest, for session: Session,
        completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void)
}

extension RequestAdapter {
    /// Returns the result of the method with a completion handler.
    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        try await AskedForm.$adapter.withValue(ObjectIdentifier(Self.self)) {
            try await withCheckedThrowingContinuation { continuation in
                adapt(request, using: state) { continuation.resume(with: $0) }
            }
        }
    }

    /// Calls whichever other method is implemented.
    public func adapt(
        _ urlRequest: HTTPRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void
    ) {
        guard AskedForm.adapter != ObjectIdentifier(Self.self) else {
            return adapt(urlRequest, for: state.session, completion: completion)
        }
        Task {
            do {
                completion(.success(try await adapt(urlRequest, using: state)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Calls whichever other method is implemented, with a state that knows only the session;
    /// returns the request unchanged if none is implemented.
    public func adapt(
        _ urlRequest: HTTPRequest, for session: Session,
        completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void
    ) {
        guard AskedForm.adapter != ObjectIdentifier(Self.self) else {
            return completion(.success(urlRequest))
        }
        let state = RequestAdapterState(requestID: 0, retryCount: 0, session: session)
        adapt(urlRequest, using: state, completion: completion)
    }
}

public struct RequestAdapterState: Sendable {
    public let requestID: UInt64
    public let retryCount: Int
    public let session: Session
}

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

extension BoundInterceptor {
    /// Binds an interceptor to one request. The request keeps the result, so the
    /// result must not keep the request. If the session has been released, nothing more is sent.
    init(_ interceptor: any RequestInterceptor, for request: any ClientRequest) {
        adapt = { [weak request] adapted in
            guard let request, let session = request.session else {
                throw ClientError(.sessionDeinitialized)
            }
            let state = RequestAdapterState(
                requestID: request.id, retryCount: request.retryCount, session: session)
            return try await interceptor.adapt(adapted, using: state)
        }
        retry = { [weak request] error in
            guard let request, let session = request.session else { return .doNotRetry }
            return await interceptor.retry(request, for: session, dueTo: error)
        }
    }
}

extension ClientRequest {
    /// The session that made the request, or nil if it has been released. Only sessions host
    /// requests.
    fileprivate var session: Session? { (core.host as? SessionCore)?.session }
}
