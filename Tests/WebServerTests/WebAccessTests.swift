import ProxydHTTPModel
import ProxydWebServer
import Testing

struct WebAccessTests {
    private let access = WebAccess(
        port: 8090, otherHosts: ["Inspector.test:443"], token: "secret")

    @Test(
        arguments: [
            ("127.0.0.1:8090", true), ("localhost:8090", true), ("LOCALHOST:8090", true),
            ("[::1]:8090", true), ("inspector.test:443", true), ("127.0.0.1", false),
            ("localhost", false), ("127.0.0.1:8091", false), ("attacker.test:8090", false),
            ("Inspector.test", true), ("inspector.test:80", false), ("127.0.0.1.:8090", false),
            ("", false),
        ])
    func `the web server accepts as Host only its own names with its port, and allowed hosts`(
        _ host: String, _ isAccepted: Bool
    ) {
        let problem = access.objection(to: HeaderFields([("Host", host)]))
        #expect((problem == nil) == isAccepted)
        if let problem { #expect(problem.status == 421) }
    }

    @Test(arguments: [
        ("[2001:db8::1]:443", "[2001:db8::1]", true), ("plain.test:80", "plain.test", true),
        ("other.test:8443", "other.test", false), ("localhost:443", "localhost", true),
    ])
    func `a host that is allowed with a default port is also accepted without the port`(
        allowed: String, host: String, isAccepted: Bool
    ) {
        let access = WebAccess(port: 8090, otherHosts: [allowed], token: "t")
        #expect((access.objection(to: HeaderFields([("Host", host)])) == nil) == isAccepted)
        #expect(access.objection(to: HeaderFields([("Host", allowed)])) == nil)
    }

    @Test func `a web server at port 80 accepts its own names in Host and Origin without the port`()
    {
        let access = WebAccess(port: 80, token: "t")
        for host in ["127.0.0.1", "localhost:80", "[::1]"] {
            let fields = HeaderFields([("Host", host), ("Origin", "http://\(host)")])
            #expect(access.objection(to: fields) == nil, "\(host)")
        }
    }

    @Test(
        arguments: [
            ("inspector.test", "https://inspector.test", nil),
            ("inspector.test:443", "https://inspector.test", nil),
            ("inspector.test", "https://inspector.test:443", nil),
            ("inspector.test", "http://inspector.test", 403),
            ("inspector.test", "https://inspector.test:8443", 403),
            ("inspector.test", "https://localhost:8090", 403),
            ("localhost:8090", "https://localhost:8090", 403),
            ("127.0.0.1:8090", "https://127.0.0.1:8090", 403),
            ("[::1]:8090", "https://[::1]:8090", 403), ("[::1]:8090", "http://[::1]:8090", nil),
        ] as [(String, String, Int?)])
    func `Origin must match Host, and may be https only for a host given with --allow-host`(
        host: String, origin: String, status: Int?
    ) {
        let fields = HeaderFields([("Host", host), ("Origin", origin)])
        #expect(access.objection(to: fields)?.status == status)
    }

    @Test
    func `the address that the web server listens on is accepted as an http but not https Origin`()
    {
        let access = WebAccess(port: 8090, address: "192.0.2.7", token: "t")
        for (origin, status) in [("http", nil), ("https", 403)] as [(String, Int?)] {
            let fields = HeaderFields([
                ("Host", "192.0.2.7:8090"), ("Origin", "\(origin)://192.0.2.7:8090"),
            ])
            #expect(access.objection(to: fields)?.status == status)
        }
    }

    @Test func `an https Origin on loopback is accepted if --allow-host names it`() {
        let access = WebAccess(port: 8090, otherHosts: ["localhost:8443"], token: "t")
        let fields = HeaderFields([
            ("Host", "localhost:8443"), ("Origin", "https://localhost:8443"),
        ])
        #expect(access.objection(to: fields) == nil)
    }

    @Test func `the web server answers a request without Host or with two of them with 421`() {
        #expect(access.objection(to: HeaderFields())?.status == 421)
        let two = HeaderFields([("Host", "localhost:8090"), ("Host", "localhost:8090")])
        #expect(access.objection(to: two)?.status == 421)
    }

    @Test
    func `a 421 response suggests --allow-host with the host, but repeats no markup from it`() {
        let plain = access.objection(to: HeaderFields([("Host", "box.lan:8090")]))
        #expect(plain?.detail.contains("--allow-host box.lan:8090") == true)
        let bare = access.objection(to: HeaderFields([("Host", "box.lan")]))
        #expect(
            bare?.detail.hasSuffix("--allow-host box.lan:443 (over TLS) or box.lan:80") == true)
        let address = access.objection(to: HeaderFields([("Host", "[::2]")]))
        #expect(address?.detail.contains("--allow-host [::2]:443") == true)
        let hostile = access.objection(to: HeaderFields([("Host", "<script>:1")]))
        #expect(hostile?.detail.contains("<") == false)
    }

    @Test(
        arguments: [
            ("Sec-Fetch-Site", "cross-site", 403), ("Sec-Fetch-Site", "same-site", 403),
            ("Sec-Fetch-Site", "same-origin", nil), ("Sec-Fetch-Site", "none", nil),
            ("Origin", "http://localhost:8090", nil),
            ("Origin", "http://attacker.test", 403), ("Origin", "null", 403),
            ("Origin", "http://127.0.0.1:8090", 403),
        ] as [(String, String, Int?)])
    func `a request that Sec-Fetch-Site or Origin shows to be cross-site is answered with 403`(
        _ name: String, _ value: String, _ status: Int?
    ) {
        let fields = HeaderFields([("Host", "localhost:8090"), (name, value)])
        #expect(access.objection(to: fields)?.status == status)
    }

    @Test(
        arguments: [
            (["Bearer secret"], true), (["bearer secret"], true), (["Bearer secreT"], false),
            (["Bearer secret "], false), (["Bearer "], false), (["Bearer secrets"], false),
            (["Basic secret"], false), ([], false), (["Bearer secret", "Bearer secret"], false),
        ])
    func `only the exact token in a single Authorization field gives access to the web server`(
        _ values: [String], _ isAccepted: Bool
    ) {
        let fields = HeaderFields(values.map { ("Authorization", $0) })
        let problem = access.objectionWithoutToken(fields)
        #expect((problem == nil) == isAccepted)
        if let problem { #expect(problem.status == 401) }
    }

    @Test func `the web server's random tokens have 256 bits and differ`() {
        let tokens = Set((0..<50).map { _ in WebToken.random() })
        #expect(tokens.count == 50)
        #expect(tokens.allSatisfy { $0.utf8.count == 64 })
    }

    @Test(
        arguments: ["/api/x", "/%61pi/x", "//api/x", "/api%2Fx/../x", "/%61%70%69/x", "/api"])
    func `no spelling of a protected path gives access without the access token`(_ path: String)
        throws
    {
        let talk = try WebTalk { router in
            router.add(.get, "/api/x") { _ in WebResponse(type: "text/plain", Array("in".utf8)) }
        }
        let connection = try talk.connect()
        connection.send(
            "GET \(path) HTTP/1.1\r\nHost: \(talk.host)\r\nConnection: close\r\n\r\n")
        let answer = connection.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 401 ") || answer.hasPrefix("HTTP/1.1 404 "))
        #expect(!answer.hasSuffix("in"))
    }

    @Test func `a foreign Host is answered with 421 even for the web page's own files`() throws {
        let talk = try WebTalk { router in
            router.add(.get, "/") { _ in WebResponse(type: "text/html", Array("page".utf8)) }
        }
        let connection = try talk.connect()
        connection.send("GET / HTTP/1.1\r\nHost: attacker.test:80\r\n\r\n")
        #expect(connection.readToEnd().hasPrefix("HTTP/1.1 421 "))
        let allowed = try talk.connect()
        allowed.send("GET / HTTP/1.1\r\nHost: inspector.test:443\r\nConnection: close\r\n\r\n")
        #expect(allowed.readToEnd().hasSuffix("page"))
    }
}
