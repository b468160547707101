/// A target that proves itself with a token.
public protocol AccessTokenAuthorizable {
    /// How; nil for not at all.
    var authorizationType: AuthorizationType? { get }
}

/// How a token is sent in `Authorization`.
public enum AuthorizationType: Sendable, Hashable {
    /// `Basic TOKEN`.
    case basic
    /// `Bearer TOKEN`.
    case bearer
    /// Another scheme.
    case custom(String)

    /// The scheme.
    public var value: String {
        switch self {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .custom(let scheme): scheme
        }
    }
}
