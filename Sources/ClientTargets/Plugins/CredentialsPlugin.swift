public import ClientLib

/// Answers Basic and Digest challenges with a credential for each target.
public struct CredentialsPlugin: PluginType {
    /// Returns the credential for a target, or nil for none.
    public typealias CredentialClosure = @Sendable (any TargetType) -> Credential?
    private let credential: CredentialClosure

    /// Creates a plugin that gets credentials from `credentialsClosure`.
    public init(credentialsClosure: @escaping CredentialClosure) {
        credential = credentialsClosure
    }

    /// Sets the credential of the request.
    public func willSend(_ request: PluginRequest, target: any TargetType) {
        if let credential = credential(target) { request.authenticate(with: credential) }
    }
}
