internal import ProxydHTTPModel

/// A request as plugins see it when it is about to be sent.
public struct PluginRequest: Sendable {
    /// What will be sent. The session's default fields, cookies and framing are still to come.
    public let request: HTTPRequest
    /// Which attempt it is, from 1.
    public let attempt: Int
    /// The number of the request, the same for all attempts.
    public var id: UInt64 { core.id }
    private let core: RequestCore

    init(_ request: HTTPRequest, attempt: Int, core: RequestCore) {
        self.request = request
        self.attempt = attempt
        self.core = core
    }

    /// Answers challenges of the server that the request goes to.
    public func authenticate(
        with credential: Credential, persistence: CredentialPersistence = .forSession
    ) {
        core.configure { state in
            state.credential = credential
            state.credentialPersistence = persistence
        }
    }

    /// Answers challenges of the server that the request goes to, Basic and Digest.
    public func authenticate(username: String, password: String) {
        authenticate(with: Credential(user: username, password: password))
    }
}
