public import ClientLib

/// Answers challenges, Basic and Digest, with a credential for each target.
public struct CredentialsPlugin: PluginType {
    /// Gives the credential; nil for none.
    public typealias CredentialClosure = @Sendable (any TargetType) -> Credential?
    private let credential: CredentialClosure

    /// A plugin that asks `credentialsClosure`.
    public init(credentialsClosure: @escaping CredentialClosure) {
        credential = credentialsClosure
    }

    /// Gives the request its credential.
    public func willSend(_ request: PluginRequest, target: any TargetType) {
        if let credential = credential(target) { request.authenticate(with: credential) }
    }
}
