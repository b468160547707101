/// Why a cookie is not kept (RFC 6265bis §5.6, §5.7).
public enum CookieRefusal: Error, Sendable, Hashable {
    /// There is a control character in the line.
    case controlCharacter
    /// Neither a name nor a value.
    case empty
    /// Name and value are longer together than the limit.
    case tooLong
    /// The Domain attribute is not the host's, or not of ASCII.
    case foreignDomain
    /// The Domain attribute is one under which anybody can have names.
    case publicSuffix
    /// Secure, but set without TLS.
    case insecureOrigin
    /// Set without TLS although a secure cookie of the name is there.
    case hidesSecureCookie
    /// The name begins with `__Secure-` or `__Host-`, and the attributes are not what that asks.
    case prefixBroken
}

extension CookieRefusal: CustomStringConvertible {
    /// What is wrong, for a person.
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
