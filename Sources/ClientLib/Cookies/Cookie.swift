/// A stored cookie (RFC 6265bis §5.7). Name, value and path are the received bytes.
public struct Cookie: Sendable, Hashable {
    /// The name; empty for a cookie that has only a value.
    public var name: [UInt8]
    /// The value, including any quotation marks.
    public var value: [UInt8]
    /// The cookie's host in lower case, without a leading dot.
    public var domain: String
    /// Whether the cookie is only for that host, not for names below it.
    public var isHostOnly: Bool
    /// The path that a request's path must match.
    public var path: [UInt8]
    /// When the cookie expires; nil for the end of the session.
    public var expiry: HTTPDate?
    /// Whether the cookie is sent only over TLS.
    public var isSecure: Bool
    /// Whether scripts of a page must not see the cookie; kept for display and export.
    public var isHTTPOnly: Bool
    /// The server's SameSite attribute. Stored but ignored: there are no sites here, every request
    /// is the program's own.
    public var sameSite: CookieSameSite?
    /// When the cookie was first set.
    public var creation: HTTPDate
    /// When the cookie was last sent.
    public var lastAccess: HTTPDate
    /// Orders cookies that were created in the same second.
    var serial: UInt64 = 0

    /// Creates a cookie for one host and all its paths, until the session ends.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expiry: HTTPDate? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false,
        sameSite: CookieSameSite? = nil, creation: HTTPDate = .now
    ) {
        self.init(
            name: Array(name.utf8), value: Array(value.utf8), domain: domain,
            isHostOnly: isHostOnly, path: Array(path.utf8), expiry: expiry, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, sameSite: sameSite, creation: creation)
    }

    init(
        name: [UInt8], value: [UInt8], domain: String, isHostOnly: Bool, path: [UInt8],
        expiry: HTTPDate?, isSecure: Bool, isHTTPOnly: Bool, sameSite: CookieSameSite?,
        creation: HTTPDate
    ) {
        self.name = name
        self.value = value
        self.domain = CookieHost.canonical(domain)
        self.isHostOnly = isHostOnly
        self.path = path
        self.expiry = expiry
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.creation = creation
        self.lastAccess = creation
    }

    /// Whether the cookie has expired.
    public func isExpired(at now: HTTPDate) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether a newer cookie replaces this one (RFC 6265bis §5.7 step 23).
    func isReplaced(by other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly
            && path == other.path
    }

    /// Whether the cookie is for a host: the same one, or one below its domain.
    func matches(host: String) -> Bool {
        isHostOnly ? host == domain : CookieHost.matches(host, domain: domain)
    }

    /// Whether the cookie is for a path (RFC 6265bis §5.1.4).
    func matches(path other: some Collection<UInt8>) -> Bool {
        guard other.starts(with: path) else { return false }
        let rest = other.dropFirst(path.count)
        return rest.isEmpty || path.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
    }
}
