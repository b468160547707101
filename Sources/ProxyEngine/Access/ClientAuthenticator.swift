public import ProxydEventLoops

/// Decides which users may use a listener. Called on event loops, so it must not block.
public protocol ClientAuthenticator: Sendable {
    /// Whether the clients of a listener, which is identified by its name, must authenticate.
    func isRequired(by listener: String) -> Bool

    /// Checks a name and a password, which may take a tenth of a second.
    /// - Parameter completion: called once, from within this call if the answer is known, and
    ///   otherwise later on any thread.
    func check(
        _ credentials: ClientCredentials, of client: SocketAddress, at listener: String,
        completion: @escaping @Sendable (CredentialVerdict) -> Void)
}

/// The answer to a name and a password.
public enum CredentialVerdict: Sendable, Hashable {
    /// They are right.
    case accepted
    /// The name or the password is wrong.
    case rejected
    /// The client has sent too many wrong passwords, or too many are being checked: nothing was
    /// checked.
    case tooMany
}
