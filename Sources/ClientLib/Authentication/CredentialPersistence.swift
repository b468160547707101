/// How long a request's credential is kept.
public enum CredentialPersistence: Sendable, Hashable {
    /// For this request alone.
    case none
    /// For the session: later requests to the protection space use it too.
    case forSession
}
