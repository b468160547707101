internal import Synchronization

/// A credential store in memory, which is lost when the program ends.
public final class MemoryCredentialStore: CredentialStore {
    private let credentials: Mutex<[ProtectionSpace: Credential]>

    /// Creates a store that starts with the given credentials.
    public init(_ credentials: [ProtectionSpace: Credential] = [:]) {
        self.credentials = Mutex(credentials)
    }

    /// The credential of the space, or the one stored for all realms of its server.
    public func credential(for space: ProtectionSpace) -> Credential? {
        credentials.withLock { $0[space] ?? $0[space.with(realm: nil)] }
    }

    /// Stores a credential; nil removes the stored one.
    public func setCredential(_ credential: Credential?, for space: ProtectionSpace) {
        credentials.withLock { $0[space] = credential }
    }
}
