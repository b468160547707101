internal import ProxydHTTPModel
public import ClientLib

/// A request as plugins see it before it is sent.
public struct PluginRequest: Sendable {
    /// The request that will be sent, still without the session's default fields, cookies and
    /// framing.
    public let request: HTTPRequest
    /// The number of the attempt, counted from 1.
    public let attempt: Int
    /// The number of the request, the same for all attempts.
    public var id: UInt64 { asked.id }
    private let asked: any ClientRequest

    init(_ request: HTTPRequest, attempt: Int, of asked: any ClientRequest) {
        self.request = request
        self.attempt = attempt
        self.asked = asked
    }

    /// Answers challenges of the request's server.
    public func authenticate(
        with credential: Credential, persistence: CredentialPersistence = .forSession
    ) {
        asked.authenticate(with: credential, persistence: persistence)
    }

    /// Answers Basic and Digest challenges of the request's server.
    public func authenticate(username: String, password: String) {
        authenticate(with: Credential(user: username, password: password))
    }
}
