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
            ("inspector.test", false), ("127.0.0.1.:8090", false), ("", false),
        ])
    func `only this server's own names with its port are accepted as Host`(
        _ host: String, _ isAccepted: Bool
    ) {
        let problem = access.objection(to: HeaderFields([("Host", host)]))
        #expect((problem == nil) == isAccepted)
        if let problem { #expect(problem.status == 421) }
    }

    @Test func `a request without Host or with two is refused`() {
        #expect(access.objection(to: HeaderFields())?.status == 421)
        let two = HeaderFields([("Host", "localhost:8090"), ("Host", "localhost:8090")])
        #expect(access.objection(to: two)?.status == 421)
    }

    @Test func `the refusal names the flag that would allow the host, but repeats no markup`() {
        let plain = access.objection(to: HeaderFields([("Host", "box.lan:8090")]))
        #expect(plain?.detail.contains("--allow-host box.lan:8090") == true)
        let hostile = access.objection(to: HeaderFields([("Host", "<script>:1")]))
        #expect(hostile?.detail.contains("<") == false)
    }

    @Test(
        arguments: [
            ("Sec-Fetch-Site", "cross-site", 403), ("Sec-Fetch-Site", "same-site", 403),
            ("Sec-Fetch-Site", "same-origin", nil), ("Sec-Fetch-Site", "none", nil),
            ("Origin", "http://localhost:8090", nil), ("Origin", "https://localhost:8090", nil),
            ("Origin", "http://attacker.test", 403), ("Origin", "null", 403),
            ("Origin", "http://127.0.0.1:8090", 403),
        ] as [(String, String, Int?)])
    func `requests that other sites make are refused`(
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
    func `only the exact token in one Authorization field opens the interface`(
        _ values: [String], _ isAccepted: Bool
    ) {
        let fields = HeaderFields(values.map { ("Authorization", $0) })
        let problem = access.objectionWithoutToken(fields)
        #expect((problem == nil) == isAccepted)
        if let problem { #expect(problem.status == 401) }
    }

    @Test func `tokens have 256 bits and differ`() {
        let tokens = Set((0..<50).map { _ in WebToken.random() })
        #expect(tokens.count == 50)
        #expect(tokens.allSatisfy { $0.utf8.count == 64 })
    }

    @Test(
        arguments: ["/api/x", "/%61pi/x", "//api/x", "/api%2Fx/../x", "/%61%70%69/x", "/api"])
    func `no spelling of a protected path avoids the token`(_ path: String) throws {
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

    @Test func `a foreign Host is refused for the page's own files, too`() throws {
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
