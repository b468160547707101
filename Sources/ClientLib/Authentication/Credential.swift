/// What a client authenticates with. Descriptions contain no secrets.
public enum Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A name and a password, for Basic and Digest.
    case password(user: String, password: String)
    /// A token, for Bearer (RFC 6750).
    case bearer(token: String)

    /// A credential of a name and a password.
    public init(user: String, password: String) { self = .password(user: user, password: password) }

    /// The user name if there is one, but never the secret.
    public var description: String {
        switch self {
        case .password(let user, _): "Credential(user: \(user))"
        case .bearer: "Credential(bearer)"
        }
    }

    /// The same as `description`, because debugger output ends up in logs too.
    public var debugDescription: String { description }
}
