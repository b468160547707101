internal import Synchronization

/// Credentials that live as long as the program.
public final class MemoryCredentialStore: CredentialStore {
    private let credentials: Mutex<[ProtectionSpace: Credential]>

    /// A store that begins with some credentials.
    public init(_ credentials: [ProtectionSpace: Credential] = [:]) {
        self.credentials = Mutex(credentials)
    }

    /// The credential of the space, else that of all realms of its server.
    public func credential(for space: ProtectionSpace) -> Credential? {
        credentials.withLock { $0[space] ?? $0[space.with(realm: nil)] }
    }

    /// Keeps a credential, or forgets the one there is.
    public func setCredential(_ credential: Credential?, for space: ProtectionSpace) {
        credentials.withLock { $0[space] = credential }
    }
}
