/// A name and a password for challenges, and how long they are kept.
public struct URLCredential: Sendable, Hashable, CustomStringConvertible {
    /// What is proved with.
    public let credential: Credential
    /// How long it is kept.
    public let persistence: CredentialPersistence

    /// A name and a password.
    public init(user: String, password: String, persistence: CredentialPersistence) {
        credential = Credential(user: user, password: password)
        self.persistence = persistence
    }

    /// Who, but not the proof.
    public var description: String { credential.description }
}

extension ClientRequest {
    /// Answers challenges of the server that the request goes to.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        authenticate(with: credential.credential, persistence: credential.persistence)
    }
}
