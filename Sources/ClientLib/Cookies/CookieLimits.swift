/// How much a jar keeps. What is over the limits is evicted, the longest unused first.
public struct CookieLimits: Sendable, Hashable {
    /// Bytes of name and value together (RFC 6265bis §5.6).
    public var byteCountMax = 4_096
    /// Bytes of an attribute's value; a longer attribute is passed over (RFC 6265bis §5.6).
    public var attributeByteCountMax = 1_024
    /// Cookies of one domain.
    public var perDomainCountMax = 50
    /// Cookies in all.
    public var countMax = 3_000
    /// Seconds that a cookie lives at most: 400 days (RFC 6265bis §5.5).
    public var ageSecondsMax: Int64 = 400 * 86_400

    /// The limits that RFC 6265bis asks for at least or at most.
    public init() {}
}
