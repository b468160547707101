import ClientLib
import ProxydHTTPModel
import Testing

struct CookieJarTests {
    let start = HTTPDate(secondsSinceEpoch: 1_800_000_000)
    var jar = CookieJar()

    func url(_ text: String) -> RawURL { CookieTestURL.make(text) }

    mutating func set(
        _ line: String, at text: String = "http://www.example.com/", after seconds: Int64 = 0
    ) throws(CookieRefusal) {
        try jar.store(
            setCookie: Array(line.utf8), from: url(text), now: start.advanced(bySeconds: seconds))
    }

    mutating func sent(
        to text: String = "http://www.example.com/", after seconds: Int64 = 0
    ) -> String? {
        let now = start.advanced(bySeconds: seconds)
        return jar.fieldValue(for: url(text), now: now).map(ASCII.text)
    }

    @Test mutating func `a cookie is sent to its own host only, unless it has a Domain`() throws {
        try set("a=1")
        try set("b=2; Domain=example.com")
        #expect(sent() == "a=1; b=2")
        #expect(sent(to: "http://example.com/") == "b=2")
        #expect(sent(to: "http://x.www.EXAMPLE.com/") == "b=2")
        #expect(sent(to: "http://notexample.com/") == nil)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/a", true), ("/a", "/a/b", true), ("/a", "/ab", false),
        ("/a/", "/a", false), ("/a/", "/a/b", true), ("/a", "/A", false), ("/a", "/a?x", true),
    ])
    mutating func `cookie paths match by whole segments`(path: String, other: String, matches: Bool)
        throws
    {
        try set("a=1; Path=\(path)")
        #expect((sent(to: "http://www.example.com\(other)") != nil) == matches)
    }

    @Test(arguments: [("/a/b/c", "/a/b"), ("/a", "/"), ("/", "/"), ("/a/b/?/c", "/a/b")])
    mutating func `a cookie without an absolute Path gets the directory of the request path`(
        path: String, folder: String
    ) throws {
        try set("a=1; path=relative", at: "http://h/\(path.dropFirst())")
        #expect(jar.all.map(\.path) == [Array(folder.utf8)])
    }

    @Test
    mutating func
        `cookies are sent longest path first and, if their paths are equally long, oldest first`()
        throws
    {
        try set("b=1; Path=/")
        try set("a=2; Path=/x")
        try set("c=3; Path=/", after: 1)
        try set("d=4; Path=/x/y", after: 2)
        #expect(sent(to: "http://www.example.com/x/y", after: 3) == "d=4; a=2; b=1; c=3")
        try set("b=5; Path=/", after: 4)
        #expect(sent(after: 5) == "b=5; c=3")
    }

    @Test
    mutating func
        `a cookie's Max-Age or Expires decides when it expires, and Max-Age takes precedence`()
        throws
    {
        let past = "Expires=Thu, 01 Jan 1970 00:00:00 GMT"
        try set("a=1; \(past); Max-Age=10")
        try set("b=1; max-age=5; Max-Age=x")
        #expect(sent(after: 4) == "a=1; b=1")
        #expect(sent(after: 5) == "a=1")
        #expect(sent(after: 10) == nil)
        try set("c=1", after: 11)
        try set("c=; \(past)", after: 12)
        #expect(sent(after: 13) == nil)
        try set("d=1; Max-Age=-1", after: 14)
        #expect(sent(after: 14) == nil)
    }

    @Test mutating func `no cookie lives longer than 400 days`() throws {
        try set("a=1; Max-Age=99999999999999999999")
        try set("b=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(sent(after: 400 * 86_400 - 1) == "a=1; b=1")
        #expect(sent(after: 400 * 86_400) == nil)
    }

    @Test
    mutating func `Secure cookies are set and sent over HTTPS only; HTTP cannot overwrite them`()
        throws
    {
        try set("a=1; Secure; HttpOnly; SameSite=lax", at: "https://www.example.com/")
        #expect(sent() == nil)
        #expect(sent(to: "https://www.example.com/") == "a=1")
        #expect(throws: CookieRefusal.insecureOrigin) { try set("b=1; Secure") }
        #expect(throws: CookieRefusal.hidesSecureCookie) { try set("a=2") }
        #expect(throws: CookieRefusal.hidesSecureCookie) { try set("a=2; Domain=example.com") }
        try set("a=2", at: "http://other.example.com/")
        let cookie = try #require(jar.all.first)
        #expect(cookie.isHTTPOnly && cookie.sameSite == .lax)
    }

    @Test(arguments: [
        "__Host-a=1; Secure", "__Host-a=1; Secure; Path=/x", "__Host-a=1; Path=/",
        "__host-a=1; Secure; Path=/; Domain=www.example.com", "__Secure-a=1", "__Host-",
        "=__Secure-a; Secure",
    ])
    mutating func `a __Host- or __Secure- cookie is rejected without the required attributes`(
        line: String
    ) {
        #expect(throws: CookieRefusal.prefixBroken) {
            try set(line, at: "https://www.example.com/")
        }
    }

    @Test
    mutating func `cookies that meet the rules of their __Host- or __Secure- prefix are accepted`()
        throws
    {
        try set("__Host-a=1; Secure; Path=/", at: "https://www.example.com/")
        try set("__Secure-b=1; Secure; Domain=example.com", at: "https://www.example.com/")
        #expect(sent(to: "https://www.example.com/") == "__Host-a=1; __Secure-b=1")
    }

    @Test(arguments: [
        ("com", "http://www.example.com/"), ("co.uk", "http://shop.co.uk/"),
        ("github.io", "http://me.github.io/"), ("example.com.", "http://www.example.com/"),
    ])
    mutating func `a cookie whose Domain is a public suffix is rejected`(domain: String, at: String)
    {
        #expect(throws: CookieRefusal.publicSuffix) { try set("a=1; Domain=\(domain)", at: at) }
    }

    @Test
    mutating func
        `a cookie whose Domain is a public suffix equal to the request's host becomes host-only`()
        throws
    {
        try set("a=1; Domain=localhost", at: "http://localhost/")
        try set("b=1; Domain=github.io", at: "http://github.io/")
        #expect(jar.all.map(\.isHostOnly) == [true, true])
    }

    @Test(arguments: [
        ("example.org", "http://www.example.com/"),
        ("x.www.example.com", "http://www.example.com/"),
        ("ample.com", "http://www.example.com/"), ("0.0.1", "http://127.0.0.1/"),
        ("é.com", "http://é.com/"), ("1", "http://[::1]/"),
    ])
    mutating func `a cookie whose Domain does not include the host is rejected`(
        domain: String, at: String
    ) {
        #expect(throws: CookieRefusal.foreignDomain) { try set("a=1; Domain=\(domain)", at: at) }
    }

    @Test
    mutating func `cookies set by a host with an IP address are sent only to that same address`()
        throws
    {
        try set("a=1; Domain=127.0.0.1", at: "http://127.0.0.1:8080/")
        try set("b=1", at: "http://[::1]/")
        #expect(sent(to: "http://127.0.0.1/") == "a=1")
        #expect(sent(to: "http://x.127.0.0.1/") == nil)
        #expect(sent(to: "http://[::1]:90/") == "b=1")
    }

    @Test mutating func `cookie names and values keep bytes that are not ASCII`() throws {
        let line = [0x61, 0x3D, 0xFF, 0x22, 0x2C, 0x20, 0x3D, 0x80].map(UInt8.init)
        try jar.store(setCookie: line, from: url("http://h/"), now: start)
        #expect(jar.fieldValue(for: url("http://h/"), now: start) == line)
    }

    @Test(arguments: [
        (" a = b c ;x", "a=b c"), ("a=b=c", "a=b=c"), ("value", "value"), ("=v", "v"),
        ("a=", "a="), ("a=\"q\"; Secured; ; =;", "a=\"q\""), ("\ta\t=\tb\t", "a=b"),
    ])
    mutating func `Set-Cookie is parsed the way browsers parse it`(line: String, pair: String)
        throws
    {
        try set(line)
        #expect(sent() == pair)
    }

    @Test(arguments: [
        ("", CookieRefusal.empty), ("=", .empty), ("; Path=/", .empty),
        ("a=\u{1}", .controlCharacter),
        ("a=\u{7F}", .controlCharacter), ("a=1; x=\0", .controlCharacter),
        ("a=" + String(repeating: "b", count: 4_096), .tooLong),
    ])
    mutating func `a Set-Cookie that is empty, too long or has control characters is rejected`(
        line: String, refusal: CookieRefusal
    ) {
        #expect(throws: refusal) { try set(line) }
    }

    @Test
    mutating func `a cookie of the maximum size is accepted, and a Path over the limit ignored`()
        throws
    {
        try set("a=" + String(repeating: "b", count: 4_095))
        try set("b=1; Path=/" + String(repeating: "x", count: 1_024), at: "http://h/y/z")
        #expect(jar.all.last?.path == Array("/y".utf8))
    }
}

/// The Expires attribute (RFC 6265 §5.1.1).
struct CookieExpiryTests {
    private let start = HTTPDate(secondsSinceEpoch: 784_000_000)

    private func expiry(_ text: String) throws -> HTTPDate? {
        var limits = CookieLimits()
        limits.ageSecondsMax = .max
        var jar = CookieJar(limits: limits)
        let url = CookieTestURL.make("http://h/")
        try jar.store(setCookie: Array("a=1; Expires=\(text)".utf8), from: url, now: start)
        return jar.all.first?.expiry
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "06 november 94 8:49:37", "8:49:37x 1994 Nov, 6th",
        "Sun/06/NOV/1994/08:49:37/PST", "6  Nov  94  8:49:37", "08:49:37 6 Nov 94foo",
    ])
    func `a cookie's Expires may be in any format that has a time, a day, a month and a year`(
        text: String
    ) throws {
        #expect(try expiry(text) == HTTPDate(secondsSinceEpoch: 784_111_777))
    }

    @Test(arguments: [
        "", "tomorrow", "06 Nov 1994", "08:49:37 Nov 1994", "6 Nov 1994 08:49", "6 Nov 1600 1:1:1",
        "31 Feb 1995 1:1:1", "6 Nov 1994 24:00:00", "6 Nov 1994 1:60:00", "6 Nov 1994 1:1:60",
        "006 Nov 1994 8:49:37", "6 Nov 19945 8:49:37", "32 Nov 1994 8:49:37", "0 Nov 1994 1:1:1",
    ])
    func `a cookie with an invalid Expires is a session cookie`(text: String) throws {
        #expect(try expiry(text) == nil)
    }

    @Test(arguments: [("69", 2069), ("70", 2070), ("99", 2099), ("00", 2000), ("2000", 2000)])
    func `two-digit years in a cookie's Expires are read as years from 1970 to 2069`(
        digits: String, year: Int
    ) throws {
        let expected = year > 2069 ? year - 100 : year
        // What ended before now is not kept: a year in the past leaves the jar empty.
        let text = try expiry("1 Dec \(digits) 00:00:00")?.description
        #expect(expected < 1994 ? text == nil : text?.contains(" \(expected) ") == true)
    }
}

/// URLs of well-formed text, for tests.
enum CookieTestURL {
    static func make(_ text: String) -> RawURL {
        let scheme = text.hasPrefix("https") ? "https" : "http"
        let rest = text.dropFirst(scheme.count + 3)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        let hostEnd =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":")
        let host = authority[..<(hostEnd ?? authority.endIndex)].drop { $0 == "[" }
        let port = UInt16(authority[(hostEnd ?? authority.endIndex)...].drop { !$0.isNumber })
        return RawURL(
            scheme: scheme, host: String(host),
            port: port ?? RawURL.defaultPort(scheme: scheme),
            origin: slash == rest.endIndex ? [0x2F] : Array(rest[slash...].utf8))
    }
}
