internal import ProxydHTTPModel
public import ClientLib

/// A request as plugins see it when it is about to be sent.
public struct PluginRequest: Sendable {
    /// What will be sent. The session's default fields, cookies and framing are still to come.
    public let request: HTTPRequest
    /// Which attempt it is, from 1.
    public let attempt: Int
    /// The number of the request, the same for all attempts.
    public var id: UInt64 { asked.id }
    private let asked: any ClientRequest

    init(_ request: HTTPRequest, attempt: Int, of asked: any ClientRequest) {
        self.request = request
        self.attempt = attempt
        self.asked = asked
    }

    /// Answers challenges of the server that the request goes to.
    public func authenticate(
        with credential: Credential, persistence: CredentialPersistence = .forSession
    ) {
        asked.authenticate(with: credential, persistence: persistence)
    }

    /// Answers challenges of the server that the request goes to, Basic and Digest.
    public func authenticate(username: String, password: String) {
        authenticate(with: Credential(user: username, password: password))
    }
}
