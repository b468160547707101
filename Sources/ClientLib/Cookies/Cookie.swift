/// One cookie as it is kept (RFC 6265bis §5.7). Name, value and path are bytes as they came.
public struct Cookie: Sendable, Hashable {
    /// The name; empty for a cookie that is only a value.
    public var name: [UInt8]
    /// The value, quotation marks included where there were any.
    public var value: [UInt8]
    /// The host it is for, in lower case, without a leading dot.
    public var domain: String
    /// Whether it is for that host alone, not for names below it.
    public var isHostOnly: Bool
    /// The path that a request's has to begin with.
    public var path: [UInt8]
    /// When it ends; nil for the end of the session.
    public var expiry: HTTPDate?
    /// Whether it is sent over TLS only.
    public var isSecure: Bool
    /// Whether scripts of a page may not see it; kept for display and export.
    public var isHTTPOnly: Bool
    /// What the server says of requests that begin at other sites. Kept, never acted upon: there
    /// are no sites here, every request is the program's own.
    public var sameSite: CookieSameSite?
    /// When it was first set.
    public var creation: HTTPDate
    /// When it was last sent.
    public var lastAccess: HTTPDate
    /// Tells cookies that were made in the same second apart.
    var serial: UInt64 = 0

    /// A cookie of a program's own making, for one host and all its paths until the session ends.
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

    /// Whether it ended.
    public func isExpired(at now: HTTPDate) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether a newer cookie takes this one's place (RFC 6265bis §5.7 step 23).
    func isReplaced(by other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly
            && path == other.path
    }

    /// Whether it belongs to a host: the same, or one below its domain.
    func matches(host: String) -> Bool {
        isHostOnly ? host == domain : CookieHost.matches(host, domain: domain)
    }

    /// Whether it belongs to a path (RFC 6265bis §5.1.4).
    func matches(path other: some Collection<UInt8>) -> Bool {
        guard other.starts(with: path) else { return false }
        let rest = other.dropFirst(path.count)
        return rest.isEmpty || path.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
    }
}
