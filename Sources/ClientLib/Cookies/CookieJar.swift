public import ProxydHTTPModel

/// Cookies, with the rules for storing and sending them (RFC 6265bis §5). This is a value type:
/// time is a parameter, and there is no I/O.
public struct CookieJar: Sendable {
    /// The limits on what is stored.
    public let limits: CookieLimits
    /// The domains that cookies must not be set for.
    public let publicSuffixes: PublicSuffixes
    private var cookiesByDomain: [String: [Cookie]] = [:]
    /// The number of cookies in all domains.
    public private(set) var count = 0
    private var nextSerial: UInt64 = 0

    /// Creates an empty jar.
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

    /// Stores the cookie of one Set-Cookie line.
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

    /// Removes the cookies for which `predicate` returns true.
    public mutating func removeAll(where predicate: (Cookie) -> Bool) {
        for (domain, cookies) in cookiesByDomain {
            let kept = cookies.filter { !predicate($0) }
            count -= cookies.count - kept.count
            cookiesByDomain[domain] = kept.isEmpty ? nil : kept
        }
    }

    /// Removes every cookie.
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
