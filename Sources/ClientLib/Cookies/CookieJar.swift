public import ProxydHTTPModel
internal import Glibc

/// Cookies, with the rules for storing and sending them (RFC 6265bis §5). This is a value type:
/// time is a parameter, and there is no I/O.
public struct CookieJar: Sendable {
    public let limits: CookieLimits
    public let publicSuffixes: PublicSuffixes
    private var cookiesByDomain: [String: [Cookie]] = [:]
    public private(set) var count = 0
    private var nextSerial: UInt64 = 0

    public init(
        limits: CookieLimits = CookieLimits(), publicSuffixes: PublicSuffixes = .wellKnown
    ) {
        self.limits = limits
        self.publicSuffixes = publicSuffixes
    }

    /// Every cookie, oldest first; may include expired ones.
    public var all: [Cookie] {
        cookiesByDomain.values.joined().sorted {
            ($0.creation, $0.serial) < ($1.creation, $1.serial)
        }
    }

    // MARK: Storing

    /// Stores the cookies that a response sets, each Set-Cookie line on its own. Returns the
    /// refusals.
    @discardableResult
    public mutating func store(
        _ fields: HeaderFields, from url: RawURL, now: HTTPDate = .now
    ) -> [CookieRefusal] {
        var refusals: [CookieRefusal] = []
        for line in fields.lines where line.name == .setCookie {
            do throws(CookieRefusal) {
                try store(setCookie: Array(fields.bytes[line.valueRange]), from: url, now: now)
            } catch {
                refusals.append(error)
            }
        }
        return refusals
    }

    public mutating func store(
        setCookie bytes: [UInt8], from url: RawURL, now: HTTPDate = .now
    ) throws(CookieRefusal) {
        let line = try SetCookie(bytes, limits: limits)
        let cookie = try cookie(line, from: url, now: now)
        try checkSecurity(of: cookie, line, isOverTLS: url.scheme == "https")
        insert(cookie, now: now)
    }

    /// Stores a cookie that the program created, without any checks.
    public mutating func insert(_ cookie: Cookie, now: HTTPDate = .now) {
        var cookie = cookie
        cookie.serial = nextSerial
        nextSerial &+= 1
        var cookies = cookiesByDomain[cookie.domain] ?? []
        if let index = cookies.firstIndex(where: { $0.isReplaced(by: cookie) }) {
            // A replacement keeps the age and the position of the old cookie.
            cookie.creation = cookies[index].creation
            cookie.serial = cookies[index].serial
            cookies.remove(at: index)
            count -= 1
        }
        if !cookie.isExpired(at: now) {
            cookies.append(cookie)
            count += 1
        }
        cookiesByDomain[cookie.domain] = cookies.isEmpty ? nil : cookies
        evict(from: cookie.domain, now: now)
    }

    private func cookie(
        _ line: SetCookie, from url: RawURL, now: HTTPDate
    ) throws(CookieRefusal) -> Cookie {
        let host = CookieHost.canonical(url.host)
        let domain = try self.domain(line.domain ?? [], host: host)
        return Cookie(
            name: line.name, value: line.value, domain: domain ?? host, isHostOnly: domain == nil,
            path: line.path ?? CookieJar.defaultPath(of: url), expiry: expiry(of: line, now: now),
            isSecure: line.isSecure, isHTTPOnly: line.isHTTPOnly, sameSite: line.sameSite,
            creation: now)
    }

    /// The domain in an attribute, or nil if the cookie is only for the host.
    private func domain(_ attribute: [UInt8], host: String) throws(CookieRefusal) -> String? {
        guard !attribute.isEmpty else { return nil }
        guard attribute.allSatisfy({ $0 < 0x80 }) else { throw .foreignDomain }
        let domain = String(decoding: attribute, as: UTF8.self)
        if CookieHost.isAddress(host) {
            guard domain == host else { throw .foreignDomain }
            return nil
        }
        if publicSuffixes.contains(domain) {
            guard domain == host else { throw .publicSuffix }
            return nil
        }
        guard CookieHost.matches(host, domain: domain) else { throw .foreignDomain }
        return domain
    }

    /// Max-Age takes precedence over Expires, and the limit applies to both.
    private func expiry(of line: SetCookie, now: HTTPDate) -> HTTPDate? {
        let last = now.advanced(bySeconds: limits.ageSecondsMax)
        if let seconds = line.maxAgeSeconds { return min(last, now.advanced(bySeconds: seconds)) }
        return line.expires.map { min(last, $0) }
    }

    /// The path up to the last slash, without it (RFC 6265bis §5.1.4).
    private static func defaultPath(of url: RawURL) -> [UInt8] {
        let path = url.path
        guard path.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { return [UInt8(ascii: "/")] }
        return Array(path[..<slash])
    }

    /// A cookie set without TLS must not replace or imitate one that was set with it.
    private func checkSecurity(
        of cookie: Cookie, _ line: SetCookie, isOverTLS: Bool
    ) throws(CookieRefusal) {
        if line.hasPrefix("__Secure-") {
            guard cookie.isSecure, !cookie.name.isEmpty else { throw .prefixBroken }
        }
        if line.hasPrefix("__Host-") {
            guard cookie.isSecure, !cookie.name.isEmpty, cookie.isHostOnly, line.domain == nil,
                line.path == [UInt8(ascii: "/")]
            else { throw .prefixBroken }
        }
        guard !isOverTLS else { return }
        guard !cookie.isSecure else { throw .insecureOrigin }
        let hides = cookiesByDomain.values.joined().contains { other in
            other.isSecure && other.name == cookie.name && other.matches(path: cookie.path)
                && (CookieHost.matches(other.domain, domain: cookie.domain)
                    || CookieHost.matches(cookie.domain, domain: other.domain))
        }
        guard !hides else { throw .hidesSecureCookie }
    }

    // MARK: Sending

    /// The cookies for a request in the order they are sent: longer paths first, then older ones.
    /// Updates their last access.
    public mutating func cookies(for url: RawURL, now: HTTPDate = .now) -> [Cookie] {
        let host = CookieHost.canonical(url.host)
        var found: [Cookie] = []
        for domain in CookieHost.domains(of: host) {
            guard var cookies = cookiesByDomain[domain] else { continue }
            for index in cookies.indices
            where cookies[index].matches(host: host) && cookies[index].matches(path: url.path)
                && (!cookies[index].isSecure || url.scheme == "https")
                && !cookies[index].isExpired(at: now)
            {
                cookies[index].lastAccess = now
                found.append(cookies[index])
            }
            cookiesByDomain[domain] = cookies
        }
        return found.sorted { left, right in
            (right.path.count, left.creation, left.serial)
                < (left.path.count, right.creation, right.serial)
        }
    }

    /// The value of a request's Cookie field, or nil if there is no cookie for it.
    public mutating func fieldValue(for url: RawURL, now: HTTPDate = .now) -> [UInt8]? {
        let cookies = cookies(for: url, now: now)
        guard !cookies.isEmpty else { return nil }
        return Array(cookies.map(\.pair).joined(separator: "; ".utf8))
    }

    // MARK: Removing

    public mutating func removeAll(where predicate: (Cookie) -> Bool) {
        for (domain, cookies) in cookiesByDomain {
            let kept = cookies.filter { !predicate($0) }
            count -= cookies.count - kept.count
            cookiesByDomain[domain] = kept.isEmpty ? nil : kept
        }
    }

    public mutating func removeAll() { removeAll { _ in true } }

    /// Removes session cookies and expired ones.
    public mutating func endSession(now: HTTPDate = .now) {
        removeAll { $0.expiry == nil || $0.isExpired(at: now) }
    }

    /// Makes room: removes expired cookies first, then those without Secure in a full domain, then
    /// the least recently used (RFC 6265bis §5.7).
    private mutating func evict(from domain: String, now: HTTPDate) {
        if let cookies = cookiesByDomain[domain], cookies.count > limits.perDomainCountMax {
            let kept = CookieJar.survivors(of: cookies, count: limits.perDomainCountMax, now: now) {
                $0.isSecure
            }
            count -= cookies.count - kept.count
            cookiesByDomain[domain] = kept
        }
        guard count > limits.countMax else { return }
        removeAll { $0.isExpired(at: now) }
        guard count > limits.countMax else { return }
        let kept = CookieJar.survivors(of: all, count: limits.countMax, now: now) { _ in false }
        cookiesByDomain = Dictionary(grouping: kept, by: \.domain)
        count = kept.count
    }

    private static func survivors(
        of cookies: [Cookie], count: Int, now: HTTPDate, isPreferred: (Cookie) -> Bool
    ) -> [Cookie] {
        let live = cookies.filter { !$0.isExpired(at: now) }
        let ranked = live.sorted { left, right in
            if isPreferred(left) != isPreferred(right) { return isPreferred(left) }
            return (right.lastAccess, right.serial) < (left.lastAccess, left.serial)
        }
        return Array(ranked.prefix(count))
    }
}

extension Cookie {
    /// The cookie in the format of a Cookie field.
    var pair: [UInt8] { name.isEmpty ? value : name + [UInt8(ascii: "=")] + value }
}

/// Limits on a jar's content. Beyond them, the least recently used cookies are removed.
public struct CookieLimits: Sendable, Hashable {
    /// The largest size of name and value together, in bytes (RFC 6265bis §5.6).
    public var byteCountMax = 4_096
    /// The largest size of an attribute's value, in bytes; a longer attribute is ignored (RFC
    /// 6265bis §5.6).
    public var attributeByteCountMax = 1_024
    public var perDomainCountMax = 50
    public var countMax = 3_000
    /// The longest life of a cookie, in seconds: 400 days (RFC 6265bis §5.5).
    public var ageSecondsMax: Int64 = 400 * 86_400

    public init() {}
}

/// Why a cookie is not stored (RFC 6265bis §5.6, §5.7).
public enum CookieRefusal: Error, Sendable, Hashable {
    case controlCharacter
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
    public var description: String {
        switch self {
        case .controlCharacter: "the cookie holds a control character"
        case .empty: "the cookie has neither a name nor a value"
        case .tooLong: "the cookie is too long"
        case .foreignDomain: "the cookie's domain is not that of the host"
        case .publicSuffix: "the cookie's domain is a public suffix"
        case .insecureOrigin: "a secure cookie was set without TLS"
        case .hidesSecureCookie: "the cookie was set without TLS and would hide a secure one"
        case .prefixBroken: "the cookie's attributes are not what the prefix of its name asks for"
        }
    }
}

/// Compares host names by the rules for cookies.
enum CookieHost {
    /// The host in lower case; percent-encoding and international names are left unchanged.
    static func canonical(_ host: String) -> String {
        String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
    }

    /// Whether a canonical host is a domain or a name below it; there are no names below addresses
    /// (RFC 6265bis §5.1.3).
    static func matches(_ host: String, domain: String) -> Bool {
        host == domain
            || host.hasSuffix(domain) && host.dropLast(domain.count).hasSuffix(".")
                && !isAddress(host)
    }

    static func isAddress(_ host: String) -> Bool {
        guard !host.utf8.contains(UInt8(ascii: ":")) else { return true }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1
    }

    /// The host and every domain above it, longest first; only the host itself if it is an address.
    static func domains(of host: String) -> [String] {
        guard !isAddress(host) else { return [host] }
        var domains = [host]
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            domains.append(String(rest))
        }
        return domains
    }
}

/// Domains under which anyone can register names, so that a cookie must not be set for all of them.
///
/// This is not a copy of the Public Suffix List, which has thousands of entries and changes weekly:
/// it includes every name of a single label, and a short list of well-known others. Programs that
/// need more can add to it.
public struct PublicSuffixes: Sendable, Hashable {
    /// Suffixes of more than one label, in lower case without a leading dot.
    public var suffixes: Set<String>

    /// Common second-level domains of countries and hosting services.
    public static let wellKnown = PublicSuffixes(
        Set(
            countries.flatMap { country, labels in labels.map { "\($0).\(country)" } } + [
                "appspot.com", "azurewebsites.net", "blogspot.com", "cloudfront.net",
                "firebaseapp.com", "fly.dev", "github.io", "gitlab.io", "herokuapp.com",
                "netlify.app", "onrender.com", "pages.dev", "s3.amazonaws.com", "vercel.app",
                "web.app", "workers.dev",
            ]))

    private static let countries: [(country: String, labels: [String])] = [
        ("ar", ["com", "gob", "net", "org"]), ("au", ["com", "edu", "gov", "id", "net", "org"]),
        ("br", ["com", "gov", "net", "org"]), ("cn", ["ac", "com", "edu", "gov", "net", "org"]),
        ("hk", ["com", "edu", "gov", "net", "org"]), ("id", ["ac", "co", "go", "or", "web"]),
        ("il", ["ac", "co", "gov", "net", "org"]), ("in", ["ac", "co", "gov", "net", "org"]),
        ("jp", ["ac", "ad", "co", "ed", "go", "gr", "lg", "ne", "or"]),
        ("kr", ["ac", "co", "go", "ne", "or", "re"]), ("mx", ["com", "edu", "gob", "net", "org"]),
        ("my", ["com", "edu", "gov", "net", "org"]),
        ("nz", ["ac", "co", "geek", "govt", "net", "org", "school"]),
        ("pl", ["com", "edu", "gov", "net", "org"]), ("sg", ["com", "edu", "gov", "net", "org"]),
        ("th", ["ac", "co", "go", "in", "net", "or"]), ("tr", ["com", "edu", "gov", "net", "org"]),
        ("tw", ["com", "edu", "gov", "net", "org"]), ("ua", ["com", "edu", "gov", "net", "org"]),
        ("uk", ["ac", "co", "gov", "ltd", "me", "net", "nhs", "org", "plc", "police", "sch"]),
        ("za", ["ac", "co", "gov", "net", "org", "web"]),
    ]

    public init(_ suffixes: Set<String>) { self.suffixes = suffixes }

    public func contains(_ domain: String) -> Bool {
        !domain.contains(".") || domain.hasSuffix(".") || suffixes.contains(domain)
    }
}
