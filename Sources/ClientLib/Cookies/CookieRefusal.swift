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
