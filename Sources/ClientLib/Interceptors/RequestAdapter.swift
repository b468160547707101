internal import HTTPModel

/// Changes requests before they are sent: adds a token, signs, redirects to another host.
///
/// One of the three methods is enough: the two with a completion handler are for code that was
/// written for Alamofire, and asked only where the first is not there.
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
        try await withCheckedThrowingContinuation { continuation in
            adapt(request, using: state) { continuation.resume(with: $0) }
        }
    }

    /// What the method with a session tells.
    public func adapt(
        _ urlRequest: HTTPRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void
    ) {
        adapt(urlRequest, for: state.session, completion: completion)
    }

    /// Leaves the request as it is.
    public func adapt(
        _ urlRequest: HTTPRequest, for session: Session,
        completion: @escaping @Sendable (Result<HTTPRequest, any Error>) -> Void
    ) {
        completion(.success(urlRequest))
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
