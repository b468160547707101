import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// References to a reverse proxy in requests, which become references to its server.
struct RequestReferencesTests {
    /// The line of a request to the proxy `http://front.test:8080`, as the server gets it; nil if
    /// it stays.
    private func replaced(
        _ line: String, prefix: String = "", scheme: String = "http",
        authority: String = "front.test:8080", host: String? = nil
    ) throws -> String? {
        let head = try HeadParser.parseRequestHead(
            WireText.bytes(
                "GET /a HTTP/1.1\nHost: \(authority)\nX: http://front.test:8080/\n\(line)\nY: 1\n\n"
            ))
        let references = RequestReferences(
            to: ReplacedServer(scheme: "https", host: "origin.test", port: 443, prefix: prefix),
            host: host, scheme: scheme, address: "192.0.2.9:80")
        guard let changed = references.replaced(in: head) else { return nil }
        let lines = WireText.escaped(changed.bytes).split(separator: "\\r\\n")
        #expect(lines.count == 5)
        #expect(lines[1] == "Host: \(authority)")
        #expect(lines[2] == "X: http://front.test:8080/")
        #expect(lines[4] == "Y: 1")
        return String(lines[3])
    }

    // MARK: What leads to the proxy

    @Test(arguments: [
        ("Origin: http://front.test:8080", "Origin: https://origin.test"),
        ("origin: HTTP://FRONT.test:8080", "origin: https://origin.test"),
        ("Referer: http://front.test:8080", "Referer: https://origin.test"),
        ("Referer: http://front.test:8080/p?q#f", "Referer: https://origin.test/p?q#f"),
        ("REFERER: http://front.test:8080?q", "REFERER: https://origin.test?q"),
        ("Destination: http://front.test:8080/b%20c", "Destination: https://origin.test/b%20c"),
        ("Destination: http://front.test:8080/\\xe4", "Destination: https://origin.test/\\xe4"),
        ("If: <http://front.test:8080/b>(<t:1>)", "If: <https://origin.test/b>(<t:1>)"),
    ])
    func `a reverse proxy's URL in Origin, Referer, Destination or If becomes its server's URL`(
        line: String, expected: String
    ) throws {
        #expect(try replaced(line) == expected)
    }

    @Test(arguments: [
        ("evil.example:8080", false), ("front.test.evil.com:8080", false), ("nas:8080", true),
        ("mac.local:8080", true), ("router.home.arpa:8080", true), ("10.1.2.3:8080", true),
    ])
    func `Origin, Referer and Destination are rewritten unless the reverse proxy's name is public`(
        authority: String, isRewritten: Bool
    ) throws {
        for name in ["Origin", "Referer", "Destination"] {
            let line = try replaced("\(name): http://\(authority)", authority: authority)
            #expect((line == "\(name): https://origin.test") == isRewritten, "\(name)")
        }
    }

    @Test func `every reference to the reverse proxy in an If field is rewritten`() throws {
        let line = try replaced(
            "If: <http://front.test:8080/a> (<urn:uuid:1> [\"e\"]) (Not <DAV:no-lock>)  "
                + "<http://other.test/b> ([W/\"x\"]) <http://front.test:8080/c>\\t(<t:2>)")
        #expect(
            line == "If: <https://origin.test/a> (<urn:uuid:1> [\"e\"]) (Not <DAV:no-lock>)  "
                + "<http://other.test/b> ([W/\"x\"]) <https://origin.test/c>\\t(<t:2>)")
    }

    @Test(arguments: [
        ("front.test", "http", "http://front.test:80"),
        ("front.test:80", "http", "http://front.test"),
        ("front.test:443", "https", "https://front.test"),
        ("front.test", "https", "https://front.test:443"), ("[::1]:8", "http", "http://[::1]:8"),
        ("front.test", "http", "http://front.test:"),
    ])
    func `an Origin that names the reverse proxy is rewritten with or without the default port`(
        authority: String, scheme: String, origin: String
    ) throws {
        let line = try replaced("Origin: \(origin)", scheme: scheme, authority: authority)
        #expect(line == "Origin: https://origin.test")
    }

    @Test
    func `in a request without Host, an Origin with the reverse proxy's address is rewritten`()
        throws
    {
        let head = try HeadParser.parseRequestHead(
            WireText.bytes("GET / HTTP/1.0\nOrigin: http://192.0.2.9\n\n"))
        let references = RequestReferences(
            to: ReplacedServer(scheme: "http", host: "2001:db8::1", port: 81), host: nil,
            scheme: "http", address: "192.0.2.9:80")
        let origin = references.replaced(in: head)?.fields.values(named: "Origin").first
        #expect(origin == "http://[2001:db8::1]:81")
    }

    @Test func `a rewritten Origin has the same host and port as the forwarded Host field`() throws
    {
        let line = try replaced("Origin: http://front.test:8080", host: "inner.test:82")
        #expect(line == "Origin: https://inner.test:82")
    }

    @Test(arguments: [
        ("Destination: http://front.test:8080/b", "Destination: https://origin.test/base/b"),
        ("Destination: http://front.test:8080", "Destination: https://origin.test/base/"),
        ("Destination: /b", "Destination: /base/b"),
        ("Referer: http://front.test:8080?q", "Referer: https://origin.test/base/?q"),
        ("If: </b> (<t:1>)", "If: </base/b> (<t:1>)"),
        ("Origin: http://front.test:8080", "Origin: https://origin.test"),
    ])
    func `rewritten Destination, Referer and If get the server's path prefix, but Origin does not`(
        line: String, expected: String
    ) throws {
        #expect(try replaced(line, prefix: "/base") == expected)
    }

    // MARK: What does not

    @Test(arguments: [
        "", "null", "http://evil.test", "http://evil.test:8080", "https://front.test:8080",
        "http://front.test", "http://front.test:80", "http://front.test:808",
        "http://front.test:80800", "http://front.test.:8080", "http://front.test.evil.test:8080",
        "http://sub.front.test:8080", "http://front.test:8080.evil.test",
        "http://front.test:8080@evil.test", "http://u@front.test:8080", "//front.test:8080",
        "http:/front.test:8080", "front.test:8080", "http://front.test:8080 http://evil.test",
        "http://front.test:8080, http://evil.test", "http://", "ws://front.test:8080",
        "http://front.test:8080\\\\@evil.test", "http://front.test:8080\\xff",
        "http://origin.test", "https://origin.test",
    ])
    func `Origin, Referer, Destination and If stay unchanged unless their URL is the proxy's own`(
        value: String
    ) throws {
        for name in ["Origin", "Referer", "Destination"] {
            #expect(try replaced("\(name): \(value)") == nil, "\(name)")
        }
        #expect(try replaced("If: <\(value)> (<t:1>)") == nil)
    }

    @Test func `an Origin field with a path is not rewritten`() throws {
        #expect(try replaced("Origin: http://front.test:8080/") == nil)
    }

    @Test(arguments: [
        "(<http://front.test:8080/b>)", "(Not <http://front.test:8080/b>)",
        "([\"<http://front.test:8080/b>\"])", "([\")<http://front.test:8080/b>(\"])",
        "<http://front.test:8080/b", "<http://front.test:8080/b> (", "<http://front.test:8080/b> x",
        "<http://front.test:8080/b> ([e])", "<http://front.test:8080/b> ([\"e\")",
        "<http://front.test:8080/b> ((<t:1>))", "<http://front.test:8080/b> )",
        "http://front.test:8080/b", "<http://front.test:8080/b> [\"e\"]",
    ])
    func `lock tokens, entity tags and invalid values in If are not rewritten`(value: String) throws
    {
        #expect(try replaced("If: \(value)") == nil)
    }

    @Test(arguments: ["Referer: /p", "Destination: //front.test:8080/b", "Destination: b"])
    func `a relative Referer, and a Destination that is not an absolute path, get no path prefix`(
        line: String
    ) throws {
        #expect(try replaced(line, prefix: "/base") == nil)
    }

    @Test func `the URLs of several Referer lines that name the reverse proxy are all rewritten`()
        throws
    {
        let head = try HeadParser.parseRequestHead(
            WireText.bytes(
                "GET / HTTP/1.1\nHost: f\nReferer: http://f/1\nReferer: http://g/2\n"
                    + "Referer: http://f/3\n\n"))
        let references = RequestReferences(
            to: ReplacedServer(scheme: "http", host: "o", port: 80), host: nil, scheme: "http",
            address: "")
        let values = references.replaced(in: head)?.fields.values(named: "Referer")
        #expect(values == ["http://o/1", "http://g/2", "http://o/3"])
    }
}
