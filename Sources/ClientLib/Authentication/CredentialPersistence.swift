/// How long a request's credential is kept.
public enum CredentialPersistence: Sendable, Hashable {
    /// For this request only.
    case none
    /// For the session: later requests to the same protection space use it too.
    case forSession
}
