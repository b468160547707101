/// What a program can prove itself with. Its descriptions hold no secret.
public enum Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A name and a password, for Basic and Digest.
    case password(user: String, password: String)
    /// A token, for Bearer (RFC 6750).
    case bearer(token: String)

    /// A name and a password.
    public init(user: String, password: String) { self = .password(user: user, password: password) }

    /// Who, but not the proof.
    public var description: String {
        switch self {
        case .password(let user, _): "Credential(user: \(user))"
        case .bearer: "Credential(bearer)"
        }
    }

    /// The same: a debugger's view ends in logs too.
    public var debugDescription: String { description }
}
