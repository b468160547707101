internal import ProxydHTTPModel

/// Changes requests before they are sent: adds a token, signs, redirects to another host.
///
/// One of the three methods is enough: the two with a completion handler are for code that was
/// written for Alamofire. Each can be called, whichever was written.
public protocol RequestAdapter: Sendable {
    /// The request to send in place of `request`. Called for each attempt.
    /// - Throws: why it cannot be sent; retriers are asked what to do about it.
    func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest
    /// The same, told to `completion`, which must be called once.
    func adapt(
        _ urlRequest: HTTPRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void)
    /// The same for who needs the session only.
    func adapt(
        _ urlRequest: HTTPRequest, for session: Session,
        completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void)
}

extension RequestAdapter {
    /// What the method with a completion handler tells.
    public func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        try await AskedForm.$adapter.withValue(ObjectIdentifier(Self.self)) {
            try await withCheckedThrowingContinuation { continuation in
                adapt(request, using: state) { continuation.resume(with: $0) }
            }
        }
    }

    /// What another of the methods makes of the request.
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

    /// What another of the methods makes of the request, in a state that knows the session only;
    /// the request as it is where there is none.
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

/// What an adapter may want to know.
public struct RequestAdapterState: Sendable {
    /// The number of the request.
    public let requestID: UInt64
    /// How often the request has been sent again so far.
    public let retryCount: Int
    /// The session that sends it.
    public let session: Session
}
