internal import ProxydCivilTime
internal import ProxydHTTPModel

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
    public var creation: HTTPDate
    public var lastAccess: HTTPDate
    /// Orders cookies that were created in the same second.
    var serial: UInt64 = 0

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

/// A cookie's SameSite attribute (RFC 6265bis §5.6.7).
public enum CookieSameSite: String, Sendable, Hashable, CaseIterable {
    /// Sent only with requests from the same site.
    case strict = "Strict"
    /// Also sent when a link from another site is followed.
    case lax = "Lax"
    /// Always sent.
    case none = "None"
}

/// A parsed Set-Cookie line (RFC 6265bis §5.6).
struct SetCookie {
    private(set) var name: [UInt8] = []
    private(set) var value: [UInt8] = []
    /// The last Domain attribute without its leading dot, in lower case; nil if there is none.
    private(set) var domain: [UInt8]?
    /// The last valid Path attribute, or nil for the default.
    private(set) var path: [UInt8]?
    private(set) var expires: HTTPDate?
    private(set) var maxAgeSeconds: Int64?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: CookieSameSite?

    init(_ bytes: [UInt8], limits: CookieLimits) throws(CookieRefusal) {
        guard !bytes.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw .controlCharacter
        }
        var parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let pair = parts.removeFirst()
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = trimmed(pair[..<equals])
            value = trimmed(pair[(equals + 1)...])
        } else {
            value = trimmed(pair)
        }
        guard !name.isEmpty || !value.isEmpty else { throw .empty }
        guard name.count + value.count <= limits.byteCountMax else { throw .tooLong }
        for part in parts { take(part, byteCountMax: limits.attributeByteCountMax) }
    }

    private mutating func take(_ part: ArraySlice<UInt8>, byteCountMax: Int) {
        let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
        let value = trimmed(part[equals...].dropFirst())
        guard value.count <= byteCountMax else { return }
        switch ASCII.text(trimmed(part[..<equals]).map(ASCII.lowercased)) {
        case "expires":
            if let seconds = CookieDateReader.secondsSinceEpoch(value) {
                expires = HTTPDate(secondsSinceEpoch: seconds)
            }
        case "max-age": if let seconds = SetCookie.seconds(value) { maxAgeSeconds = seconds }
        case "domain":
            let isDotted = value.first == UInt8(ascii: ".")
            domain = value.dropFirst(isDotted ? 1 : 0).map(ASCII.lowercased)
        case "path": path = value.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            let text = ASCII.text(value.map(ASCII.lowercased))
            sameSite = CookieSameSite.allCases.first { $0.rawValue.lowercased() == text }
        default: break
        }
    }

    /// The number of seconds, with an optional minus sign; nil for anything else.
    private static func seconds(_ bytes: [UInt8]) -> Int64? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = bytes.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        if isNegative { return 0 }
        return Int64(String(decoding: digits, as: UTF8.self)) ?? .max
    }

    /// Whether the name, or the value of a cookie without a name, starts with a prefix; ignores
    /// case.
    func hasPrefix(_ prefix: String) -> Bool {
        (name.isEmpty ? value : name).map(ASCII.lowercased)
            .starts(with: prefix.utf8.map(ASCII.lowercased))
    }
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let all = Array(bytes)
    return Array(all[ASCII.trimmingOWS(all.span, 0..<all.count)])
}
