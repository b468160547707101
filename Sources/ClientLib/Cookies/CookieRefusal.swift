/// Why a cookie is not stored (RFC 6265bis §5.6, §5.7).
public enum CookieRefusal: Error, Sendable, Hashable {
    /// The line contains a control character.
    case controlCharacter
    /// The cookie has neither a name nor a value.
    case empty
    /// Name and value together are longer than the limit.
    case tooLong
    /// The Domain attribute does not match the host, or is not ASCII.
    case foreignDomain
    /// The Domain attribute is a suffix under which anyone can register names.
    case publicSuffix
    /// The cookie is Secure, but was set without TLS.
    case insecureOrigin
    /// The cookie was set without TLS, but there is a secure cookie with the same name.
    case hidesSecureCookie
    /// The name starts with `__Secure-` or `__Host-`, but the attributes do not meet its
    /// requirements.
    case prefixBroken
}

extension CookieRefusal: CustomStringConvertible {
    /// A readable description.
    public var description: String {
        switch self {
        case .controlCharacter: "the cookie holds a control character"
        case .empty: "the cookie has neither a name nor a value"
        case .tooLong: "the cookie is too long"
        case .foreignDomain: "the cookie's domain is not that of the host"
        case .publicSuffix: "the cookie's domain is a public suffix"
        case .insecureOrigin: "a secure cookie was set without TLS"
        case .hidesSecureCookie: "the cookie was set without TLS and would hide a secure one"
        case .prefixBroken:
            "the cookie's attributes are not what the prefix of its name asks for"
        }
    }
}
