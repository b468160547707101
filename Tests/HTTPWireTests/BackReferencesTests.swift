import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// References to the server of a reverse proxy in its responses.
struct BackReferencesTests {
    private func replaced(
        _ field: String, prefix: String = "", scheme: String = "https",
        authority: String = "front.test:8443", host: String = "origin.test"
    ) throws -> String? {
        let head = try HeadParser.parseResponseHead(
            WireText.bytes("HTTP/1.1 200 OK\nX: http://origin.test:81/\n\(field)\nY: 1\n\n"))
        let references = BackReferences(
            to: ReplacedServer(scheme: "http", host: host, port: 81, prefix: prefix),
            scheme: scheme,
            request: try HeadParser.parseRequestHead(
                WireText.bytes("GET / HTTP/1.1\nHost: \(authority)\n\n")),
            address: "192.0.2.9:80")
        guard let changed = references.replaced(in: head) else { return nil }
        let lines = WireText.escaped(changed.bytes).split(separator: "\\r\\n")
        #expect(lines.count == 4)
        #expect(lines.first == "HTTP/1.1 200 OK")
        #expect(lines[1] == "X: http://origin.test:81/")
        #expect(lines.last == "Y: 1")
        return String(lines[2])
    }

    /// The value of Location; nil if it stays.
    private func location(_ value: String, prefix: String = "") throws -> String? {
        let found = try ["Location", "content-location"].map { name in
            try replaced("\(name): \(value)", prefix: prefix).map { line in
                #expect(line.hasPrefix(name + ": "))
                return String(line.dropFirst(name.count + 2))
            }
        }
        #expect(found[0] == found[1])
        return found[0]
    }

    // MARK: URLs

    @Test(arguments: [
        ("http://origin.test:81/x?y#z", "https://front.test:8443/x?y#z"),
        ("HTTP://ORIGIN.test:81/x", "https://front.test:8443/x"),
        ("http://origin.test:81", "https://front.test:8443"),
        ("http://origin.test:81?q", "https://front.test:8443?q"),
        ("//origin.test:81/x", "//front.test:8443/x"),
        (
            "http://origin.test:81/a?u=http://origin.test:81/",
            "https://front.test:8443/a?u=http://origin.test:81/"
        ),
    ])
    func `a reverse proxy rewrites a Location or Content-Location that names its server`(
        value: String, expected: String
    ) throws {
        #expect(try location(value) == expected)
    }

    @Test(arguments: [
        "/x", "x", "?q", "#f", "", "http://origin.test/x", "https://origin.test:81/",
        "http://other.test:81/", "http://sub.origin.test:81/", "http://origin.test:811/",
        "http://u@origin.test:81/", "http://origin.test:81@evil.test/",
        "http://origin.test:81.evil.test/", "http://origin.test.evil.test:81/", "http:/x",
        "http:origin.test:81", "http://", "//", "ftp://origin.test:81/", "://origin.test:81/",
        "http://origin.test:81/\\xff",
    ])
    func `a reverse proxy keeps a Location that is relative, malformed or of another origin`(
        value: String
    ) throws {
        #expect(try location(value) == nil)
    }

    @Test(arguments: [
        ("http://origin.test:81/base/x", "https://front.test:8443/x"),
        ("http://origin.test:81/base", "https://front.test:8443/"),
        ("http://origin.test:81/base?q", "https://front.test:8443/?q"),
        ("//origin.test:81/base/", "//front.test:8443/"),
        ("/base/x", "/x"), ("/base", "/"), ("/base#f", "/#f"),
    ])
    func `a reverse proxy removes the server's path prefix from Location`(
        value: String, expected: String
    ) throws {
        #expect(try location(value, prefix: "/base") == expected)
    }

    @Test(arguments: [
        "http://origin.test:81/other", "http://origin.test:81", "/other", "/basement", "/bas",
        "base/x", "http://origin.test:81/basement",
    ])
    func `a reverse proxy leaves a Location outside the server's path prefix unchanged`(
        value: String
    ) throws {
        #expect(try location(value, prefix: "/base") == nil)
    }

    @Test(arguments: [
        ("/base//evil.test/x", "/.//evil.test/x"), ("/base/\\\\evil.test", "/./\\\\evil.test"),
        ("/base/\\t/evil.test", "/./\\t/evil.test"),
        ("http://origin.test:81/base//x", "https://front.test:8443//x"),
    ])
    func `removing the path prefix never turns a Location into a reference to another host`(
        value: String, expected: String
    ) throws {
        #expect(try location(value, prefix: "/base") == expected)
    }

    @Test func `an IPv6 address in Location is matched and rewritten with its brackets`() throws {
        let line = try replaced(
            "Location: http://[2001:db8::1]:81/x", authority: "[::1]:8080", host: "2001:db8::1")
        #expect(line == "Location: https://[::1]:8080/x")
    }

    // MARK: Refresh

    @Test(arguments: [
        ("5; url=http://origin.test:81/x", "5; url=https://front.test:8443/x"),
        ("0;URL=http://origin.test:81/", "0;URL=https://front.test:8443/"),
        ("0, url = http://origin.test:81/", "0, url = https://front.test:8443/"),
        ("0; url='http://origin.test:81/x'", "0; url='https://front.test:8443/x'"),
        ("0; url=\"http://origin.test:81/x\" y", "0; url=\"https://front.test:8443/x\" y"),
        ("0; url='http://origin.test:81/x", "0; url='https://front.test:8443/x"),
    ])
    func `a reverse proxy rewrites the URL in Refresh if it names its server`(
        value: String, expected: String
    ) throws {
        #expect(try replaced("Refresh: \(value)") == "Refresh: \(expected)")
    }

    @Test(arguments: [
        "5", "5;", "5; url", "5; url=", "5; url=/x", "5; url=http://other.test/", "",
        "5; u=http://origin.test:81/", "; url='",
    ])
    func `a reverse proxy does not change a Refresh that names no URL of its server`(value: String)
        throws
    {
        #expect(try replaced("Refresh: \(value)") == nil)
    }

    // MARK: Cookies

    @Test(arguments: [
        ("a=b; Domain=origin.test; Secure", "a=b; Domain=front.test; Secure"),
        ("a=b;domain=.ORIGIN.test", "a=b;domain=front.test"),
        ("a=b; Domain = test ; Path=/", "a=b; Domain =front.test; Path=/"),
    ])
    func `a cookie Domain that covers the server is replaced with the reverse proxy's host`(
        value: String, expected: String
    ) throws {
        #expect(try replaced("Set-Cookie: \(value)") == "Set-Cookie: \(expected)")
    }

    @Test(arguments: [
        "a=b", "a=b; Domain=other.test", "a=b; Domain=est", "a=b; Domain", "a=b; Domain=",
        "Domain=origin.test", "a=b; Path=/x; HttpOnly", "a=b; Domain=sub.origin.test", "",
        "a=\\xff; Domain=origin.test",
    ])
    func `a reverse proxy keeps a Set-Cookie that is malformed or has no Domain of its server`(
        value: String
    ) throws {
        #expect(try replaced("Set-Cookie: \(value)") == nil)
    }

    @Test(arguments: [
        ("a=b; Path=/base", "a=b; Path=/"), ("a=b; path=/base/x; Secure", "a=b; path=/x; Secure"),
        ("a=b; Path=/base/", "a=b; Path=/"),
    ])
    func `a reverse proxy removes the server's path prefix from a cookie's Path`(
        value: String, expected: String
    ) throws {
        let line = try replaced("Set-Cookie: \(value)", prefix: "/base")
        #expect(line == "Set-Cookie: \(expected)")
        #expect(try replaced("Set-Cookie: a=b; Path=/other", prefix: "/base") == nil)
    }

    @Test(arguments: ["localhost:8080", "[::1]:8080", "localhost"])
    func `a cookie's Domain is removed if the reverse proxy is reached as localhost or by IP`(
        authority: String
    ) throws {
        let line = try replaced(
            "Set-Cookie: a=b; Domain=origin.test; Path=/", authority: authority)
        #expect(line == "Set-Cookie: a=b; Path=/")
    }
}
