extension ClientRequest {
    /// Answers challenges of the server that the request goes to, Basic and Digest. Not sent before
    /// the server asks, and not to another server that it redirects to.
    @discardableResult
    public func authenticate(
        username: String, password: String, persistence: CredentialPersistence = .forSession
    ) -> Self {
        authenticate(
            with: Credential(user: username, password: password), persistence: persistence)
    }

    /// Answers challenges of the server that the request goes to.
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

    /// Decides about redirects of this request in place of the session's handler.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        core.configure { $0.redirectHandler = handler }
        return self
    }

    /// Has a transport answer this request in place of the session's, such as a stub. Its answer is
    /// final: no redirect is followed, no challenge is answered, and the session keeps no cookie of
    /// it.
    @discardableResult
    public func transport(_ transport: any ClientTransport) -> Self {
        core.configure { $0.transport = transport }
        return self
    }
}
