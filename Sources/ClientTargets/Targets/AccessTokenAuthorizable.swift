/// A target that authenticates with a token.
public protocol AccessTokenAuthorizable {
    /// How the token is sent, or nil for no token.
    var authorizationType: AuthorizationType? { get }
}

/// The scheme of a token in `Authorization`.
public enum AuthorizationType: Sendable, Hashable {
    /// `Basic TOKEN`.
    case basic
    /// `Bearer TOKEN`.
    case bearer
    /// `SCHEME TOKEN` with another scheme.
    case custom(String)

    /// The name of the scheme.
    public var value: String {
        switch self {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .custom(let scheme): scheme
        }
    }
}
