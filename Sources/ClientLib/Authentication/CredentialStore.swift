/// Supplies credentials when a server or proxy asks for them.
public protocol CredentialStore: Sendable {
    /// The credential for a space whose realm is known, or nil if there is none.
    func credential(for space: ProtectionSpace) async -> Credential?
    /// Stores a credential; nil removes the stored one.
    func setCredential(_ credential: Credential?, for space: ProtectionSpace) async
}
