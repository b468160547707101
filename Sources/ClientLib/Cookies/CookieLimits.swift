/// Limits on a jar's content. Beyond them, the least recently used cookies are removed.
public struct CookieLimits: Sendable, Hashable {
    /// The largest size of name and value together, in bytes (RFC 6265bis §5.6).
    public var byteCountMax = 4_096
    /// The largest size of an attribute's value, in bytes; a longer attribute is ignored (RFC
    /// 6265bis §5.6).
    public var attributeByteCountMax = 1_024
    /// The most cookies of one domain.
    public var perDomainCountMax = 50
    /// The most cookies in total.
    public var countMax = 3_000
    /// The longest life of a cookie, in seconds: 400 days (RFC 6265bis §5.5).
    public var ageSecondsMax: Int64 = 400 * 86_400

    /// Creates the default limits, which follow the minimums and maximums of RFC 6265bis.
    public init() {}
}
