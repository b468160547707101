public import ProxydHTTPModel
internal import Synchronization

/// How a session authenticates: its credentials, and which servers and proxies accepted them.
public final class Authentication: Sendable {
    /// Supplies the credentials if a request has none of its own.
    public let credentials: any CredentialStore
    private let authenticator: Mutex<ChallengeAnswerer>

    /// Creates an authentication that takes credentials from a store. `makeClientNonce` returns the
    /// random client nonce of Digest; tests pass their own.
    public init(
        credentials: any CredentialStore = MemoryCredentialStore(),
        makeClientNonce: (@Sendable () -> String)? = nil
    ) {
        self.credentials = credentials
        authenticator = Mutex(
            makeClientNonce.map(ChallengeAnswerer.init(makeClientNonce:)) ?? ChallengeAnswerer())
    }

    /// The value of the credentials field to send before the server asks, or nil if the server is
    /// not known to accept any.
    public func authorization(
        for request: AuthenticatedRequest, attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        // The closure of the lock cannot borrow an inout parameter across isolation.
        var tried = attempts
        let value = authenticator.withLock { $0.authorization(for: request, attempts: &tried) }
        attempts = tried
        return value
    }

    /// The value of the credentials field for retrying after a response, for the strongest scheme
    /// that has a credential; the request's own credential takes precedence over the store's.
    /// Returns nil if the response does not ask for credentials or nothing is left to try; the
    /// response is then the final one.
    ///
    /// A request's own credential is only for the server that the request names: after a redirect
    /// to another server, the caller passes none.
    public func answer(
        to head: ResponseHead, for request: AuthenticatedRequest,
        credential: Credential? = nil, persistence: CredentialPersistence = .forSession,
        attempts: inout AuthenticationAttempts
    ) async -> [UInt8]? {
        for offer in AuthenticationOffer.all(in: head, to: request) {
            let stored = await credentials.credential(for: offer.space)
            guard let candidate = credential ?? stored, offer.takes(candidate) else { continue }
            let isOwn = credential != nil
            var tried = attempts
            let value = authenticator.withLock {
                $0.answer(
                    offer, with: candidate, for: request,
                    isKept: !isOwn || persistence == .forSession, attempts: &tried)
            }
            attempts = tried
            if isOwn, persistence == .forSession {
                // A credential that failed must not be tried again for other requests.
                if value != nil {
                    await credentials.setCredential(candidate, for: offer.space)
                } else if stored == candidate {
                    await credentials.setCredential(nil, for: offer.space)
                }
            }
            if let value { return value }
        }
        return nil
    }

    /// Takes a next nonce for later requests from a response, if it has one.
    public func note(_ head: ResponseHead, from request: AuthenticatedRequest) {
        authenticator.withLock { $0.note(head.fields, from: request) }
    }

    /// Forgets which servers accepted which credentials; the store keeps its credentials.
    public func reset() { authenticator.withLock { $0.removeAll() } }
}
