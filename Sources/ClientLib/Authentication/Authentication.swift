public import ProxydHTTPModel
internal import Synchronization

/// How a session authenticates: its credentials, and what it knows of the servers that took them.
public final class Authentication: Sendable {
    /// Where credentials come from that no request brings along.
    public let credentials: any CredentialStore
    private let authenticator: Mutex<ChallengeAnswerer>

    /// Authentication with the credentials of a store. `makeClientNonce` gives the random text of
    /// Digest; it is a parameter for tests.
    public init(
        credentials: any CredentialStore = MemoryCredentialStore(),
        makeClientNonce: (@Sendable () -> String)? = nil
    ) {
        self.credentials = credentials
        authenticator = Mutex(
            makeClientNonce.map(ChallengeAnswerer.init(makeClientNonce:)) ?? ChallengeAnswerer())
    }

    /// The value of the credentials field to send without being asked; nil where the server is
    /// not known to take any.
    public func authorization(
        for request: AuthenticatedRequest, attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        // The closure of the lock cannot borrow an inout parameter across isolation.
        var tried = attempts
        let value = authenticator.withLock { $0.authorization(for: request, attempts: &tried) }
        attempts = tried
        return value
    }

    /// The value of the credentials field that answers a response: by the strongest scheme for
    /// which there is a credential, the request's own before the store's. Nil where the response
    /// does not ask, or nothing is left to try: then it is the request's final response.
    ///
    /// A request's own credential is for the server it names: after a redirect to another the
    /// caller gives none.
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
                // One that failed must not be tried for others again.
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

    /// Takes what a response says for later requests: a next nonce.
    public func note(_ head: ResponseHead, from request: AuthenticatedRequest) {
        authenticator.withLock { $0.note(head.fields, from: request) }
    }

    /// Forgets which servers took what; the store keeps its credentials.
    public func reset() { authenticator.withLock { $0.removeAll() } }
}
