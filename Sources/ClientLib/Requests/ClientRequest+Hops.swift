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
}
