/// Where credentials come from when a server or proxy asks.
public protocol CredentialStore: Sendable {
    /// The credential for a space whose realm is known; nil where there is none.
    func credential(for space: ProtectionSpace) async -> Credential?
    /// Keeps a credential, or forgets the one there is.
    func setCredential(_ credential: Credential?, for space: ProtectionSpace) async
}
