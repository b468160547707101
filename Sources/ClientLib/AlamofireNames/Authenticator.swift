public import ProxydHTTPModel

/// Applies, recognises and refreshes credentials of one type, with Alamofire's requirements.
public protocol Authenticator<Credential>: CredentialAuthenticator {
    /// Adds a credential to a request.
    func apply(_ credential: Credential, to urlRequest: inout HTTPRequest)
    /// Gets a new credential to replace an old one and passes it to `completion`, which must be
    /// called exactly once.
    func refresh(
        _ credential: Credential, for session: Session,
        completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)
    /// Whether a failure means that the server refused the credential.
    func didRequest(
        _ urlRequest: HTTPRequest, with response: ResponseHead,
        failDueToAuthenticationError error: any Error
    ) -> Bool
}

extension Authenticator {
    /// Returns the result passed to `completion`.
    public func refresh(_ credential: Credential, for session: Session) async throws -> Credential {
        try await withCheckedThrowingContinuation { continuation in
            refresh(credential, for: session) { continuation.resume(with: $0) }
        }
    }

    /// Calls the requirement that takes any error.
    public func didRequest(
        _ request: HTTPRequest, with response: ResponseHead,
        failDueToAuthenticationError error: ClientError
    ) -> Bool {
        didRequest(request, with: response, failDueToAuthenticationError: error as any Error)
    }
}
