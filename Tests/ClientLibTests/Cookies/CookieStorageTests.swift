import ClientLib
import Foundation
import ProxydHTTPModel
import Testing

/// What a session shares, what is evicted, what is written into files.
struct CookieStorageTests {
    private let start = HTTPDate(secondsSinceEpoch: 1_800_000_000)
    private let url = CookieTestURL.make("https://h/")

    @Test func `each Set-Cookie field is one cookie, even with commas in its value`() {
        let storage = CookieStorage()
        var fields = HeaderFields()
        fields.append(name: "Set-Cookie", value: "a=1; Expires=Fri, 31 Dec 2027 23:59:59 GMT")
        fields.append(name: "set-cookie", value: "b=2,c=3")
        fields.append(name: "SET-COOKIE", value: "d=4; Domain=other")
        fields.append(name: "X-Set-Cookie", value: "e=5")
        let refusals = storage.store(fields, from: url, now: start)
        #expect(refusals == [.publicSuffix])
        #expect(storage.fieldValue(for: url, now: start).map(ASCII.text) == "a=1; b=2,c=3")
    }

    @Test func `when a domain has too many cookies, the oldest cookie without Secure is evicted`() {
        var limits = CookieLimits()
        limits.perDomainCountMax = 3
        var jar = CookieJar(limits: limits)
        func cookie(_ name: String, isSecure: Bool = false) -> Cookie {
            Cookie(name: name, value: "", domain: "H", isSecure: isSecure, creation: start)
        }
        jar.insert(cookie("secure", isSecure: true), now: start)
        jar.insert(cookie("a"), now: start)
        jar.insert(cookie("b"), now: start)
        jar.insert(cookie("c"), now: start)
        #expect(jar.all.map { ASCII.text($0.name) } == ["secure", "b", "c"])
        #expect(jar.count == 3)
    }

    @Test func `a full cookie jar evicts the least recently used cookie`() {
        var limits = CookieLimits()
        limits.countMax = 2
        var jar = CookieJar(limits: limits)
        for (index, host) in ["a.x", "b.x"].enumerated() {
            let creation = start.advanced(bySeconds: Int64(index))
            jar.insert(Cookie(name: "n", value: "", domain: host, creation: creation), now: start)
        }
        _ = jar.cookies(
            for: CookieTestURL.make("http://a.x/"), now: start.advanced(bySeconds: 2))
        let creation = start.advanced(bySeconds: 3)
        jar.insert(Cookie(name: "n", value: "", domain: "c.x", creation: creation), now: creation)
        #expect(jar.all.map(\.domain) == ["a.x", "c.x"])
    }

    @Test func `a cookie jar over its limit evicts expired cookies first`() {
        var limits = CookieLimits()
        limits.perDomainCountMax = 1
        var jar = CookieJar(limits: limits)
        let end = start.advanced(bySeconds: 1)
        jar.insert(
            Cookie(
                name: "old", value: "", domain: "h", expiry: end, isSecure: true, creation: start),
            now: start)
        jar.insert(Cookie(name: "new", value: "", domain: "h", creation: end), now: end)
        #expect(jar.all.map { ASCII.text($0.name) } == ["new"])
    }

    @Test
    func `ending a session removes its session cookies and keeps cookies with an expiry date`() {
        let storage = CookieStorage()
        storage.setCookie(Cookie(name: "a", value: "", domain: "h"))
        storage.setCookie(
            Cookie(name: "b", value: "", domain: "h", expiry: HTTPDate.now.advanced(bySeconds: 99)))
        storage.withJar { $0.endSession() }
        #expect(storage.cookies.map { ASCII.text($0.name) } == ["b"])
        storage.removeAll()
        #expect(storage.snapshot.count == 0)
    }

    @Test func `cookies are saved to, and loaded from, a file that only its owner can read`()
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "cookies").path
        #expect(try CookieStorage(file: path).cookies.isEmpty)

        let storage = CookieStorage()
        let line = Array("a=\u{E9}; Max-Age=60; Secure; Path=/x; SameSite=None".utf8) + [0xFF]
        try storage.withJar { jar throws in
            try jar.store(setCookie: line, from: url, now: start)
            try jar.store(setCookie: [0x62], from: url, now: start)
        }
        try storage.save(toFile: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let read = try CookieStorage(file: path, now: start).cookies
        #expect(read == Array(storage.cookies.prefix(1)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cookies"])
        try storage.save(toFile: path, includingSession: true)
        #expect(try CookieStorage(file: path, now: start).cookies.count == 2)
    }
}
