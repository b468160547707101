extension ClientRequest {
    /// Answers Basic and Digest challenges of the request's server. The credential is not sent
    /// before the server asks, and not to another server that it redirects to.
    @discardableResult
    public func authenticate(
        username: String, password: String, persistence: CredentialPersistence = .forSession
    ) -> Self {
        authenticate(
            with: Credential(user: username, password: password), persistence: persistence)
    }

    /// Answers Basic and Digest challenges of the request's server.
    @discardableResult
    public func authenticate(
        with credential: Credential, persistence: CredentialPersistence = .forSession
    ) -> Self {
        core.configure { state in
            state.credential = credential
            state.credentialPersistence = persistence
        }
        return self
    }

    /// Sets the redirect handler of this request, which replaces the session's.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        core.configure { $0.redirectHandler = handler }
        return self
    }

    /// Makes a transport, such as a stub, answer this request instead of the session's. Its
    /// response is final: no redirect is followed, no challenge is answered, and the session stores
    /// no cookies from it.
    @discardableResult
    public func transport(_ transport: any ClientTransport) -> Self {
        core.configure { $0.transport = transport }
        return self
    }
}
