/// A name and a password for challenges, and how long they are kept.
public struct URLCredential: Sendable, Hashable, CustomStringConvertible {
    /// The credential itself.
    public let credential: Credential
    /// How long the credential is kept.
    public let persistence: CredentialPersistence

    /// Creates a credential from a name and a password.
    public init(user: String, password: String, persistence: CredentialPersistence) {
        credential = Credential(user: user, password: password)
        self.persistence = persistence
    }

    /// The user name, without the password.
    public var description: String { credential.description }
}

extension ClientRequest {
    /// Answers challenges of the request's server.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        authenticate(with: credential.credential, persistence: credential.persistence)
    }
}
