public import ProxydHTTPModel

/// How credentials of a kind are applied, recognised and refreshed, with the requirements as
/// Alamofire has them.
public protocol Authenticator<Credential>: CredentialAuthenticator {
    /// Adds a credential to a request.
    func apply(_ credential: Credential, to urlRequest: inout HTTPRequest)
    /// Gets a new credential for an old one and tells `completion`, which must be called once.
    func refresh(
        _ credential: Credential, for session: Session,
        completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)
    /// Whether a failure means that the credential was refused.
    func didRequest(
        _ urlRequest: HTTPRequest, with response: ResponseHead,
        failDueToAuthenticationError error: any Error
    ) -> Bool
}

extension Authenticator {
    /// What `completion` is told.
    public func refresh(_ credential: Credential, for session: Session) async throws -> Credential {
        try await withCheckedThrowingContinuation { continuation in
            refresh(credential, for: session) { continuation.resume(with: $0) }
        }
    }

    /// What the requirement with any error says.
    public func didRequest(
        _ request: HTTPRequest, with response: ResponseHead,
        failDueToAuthenticationError error: ClientError
    ) -> Bool {
        didRequest(request, with: response, failDueToAuthenticationError: error as any Error)
    }
}
