import ProxydHTTPModel
import ProxydWebServer
import Testing

/// Paths and methods as routes see them.
struct RequestPathTests {
    private func router() -> WebRouter {
        var router = WebRouter()
        router.add(.get, "/a/{x}/b/{y}") { request in
            WebResponse(
                type: "text/plain",
                Array("\(request.segment("x"))|\(request.segment("y"))".utf8))
        }
        router.add(.get, "/a/fixed/b/c") { _ in WebResponse(type: "text/plain", [0x31]) }
        router.add(.delete, "/a/{z}/b/{y}") { request in
            WebResponse(type: "text/plain", Array(request.segment("x").utf8))
        }
        router.add(.get, "/") { _ in WebResponse(type: "text/plain", [0x30]) }
        return router
    }

    private func text(_ response: WebResponse) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func answer(_ method: HTTPMethod, _ path: [String]) -> WebResponse {
        router().answer(WebRequest(method: method, path: path))
    }

    @Test
    func `the first matching route handles a request, with only the segments its pattern names`() {
        #expect(text(answer(.get, ["a", "1", "b", "2"])) == "1|2")
        #expect(text(answer(.get, ["a", "fixed", "b", "c"])) == "fixed|c")
        // A name of another route's pattern has no value here.
        #expect(text(answer(.delete, ["a", "1", "b", "2"])) == "")
        #expect(text(answer(.get, [])) == "0")
    }

    @Test func `a decoded path segment may contain anything, even a slash, and is never split`() {
        for segment in ["", "/", "..", "{x}", "%2F", "\u{0}", "日本"] {
            #expect(text(answer(.get, ["a", segment, "b", segment])) == "\(segment)|\(segment)")
        }
    }

    @Test(arguments: [
        ["a"], ["a", "1"], ["a", "1", "b"], ["a", "1", "b", "2", "c"], ["A", "1", "b", "2"], [""],
    ])
    func `a path that matches no route is answered with 404, whatever the method`(path: [String]) {
        #expect(answer(.get, path).status == 404)
        #expect(answer("BREW", path).status == 404)
    }

    @Test
    func `a method that no matching route allows is answered with 405 and the allowed methods`() {
        let response = answer(.put, ["a", "1", "b", "2"])
        #expect(response.status == 405)
        #expect(response.fields.contains { $0 == ("Allow", "GET, DELETE, HEAD") })
        #expect(answer(.head, ["a", "1", "b", "2"]).status == 200)
    }

    @Test func `an error thrown by a route handler is answered with 500 as problem JSON`() {
        struct Failure: Error {}
        var router = WebRouter()
        router.add(.get, "/x") { _ in throw Failure() }
        let response = router.answer(WebRequest(method: .get, path: ["x"]))
        #expect(response.status == 500)
        #expect(
            response.fields.contains { $0 == ("Content-Type", "application/problem+json") })
    }

    @Test(arguments: [
        ("/api/echo/%", 400), ("/api/echo/%2", 400), ("/api/echo/%zz", 400),
        ("/api/echo/%FF", 400), ("/api/echo/%C3%28", 400), ("/api/echo/%00", 200),
        ("/api//echo///x/", 200), ("/api/echo/a+b", 200), ("/api/echo/x?%", 200),
        ("/api/echo/x?%FF=%FF", 200), ("/api/echo/%2e%2e", 200), ("*", 400),
    ])
    func `a path with invalid percent-escapes or UTF-8 gets 400, but such a query is accepted`(
        target: String, status: Int
    ) throws {
        let talk = try WebTalk { router in
            router.add(.get, "/api/echo/{word}") { request in
                WebResponse(type: "text/plain", Array("<\(request.segment("word"))>".utf8))
            }
        }
        let answer = try talk.answer("GET \(target)")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        if target.contains("+") { #expect(answer.hasSuffix("<a+b>")) }
    }

    @Test func `the web server keeps the order of repeated query parameters`() throws {
        let talk = try WebTalk { router in
            router.add(.get, "/api/q") { request in
                let all = request.parameters(named: "a").joined(separator: ",")
                return WebResponse(
                    type: "text/plain",
                    Array("<\(all)|\(request.parameter("b") ?? "none")>".utf8))
            }
        }
        #expect(try talk.answer("GET /api/q?a=1&b&a=&a=3&c=4").hasSuffix("<1,,3|>"))
        #expect(try talk.answer("GET /api/q?a").hasSuffix("<|none>"))
        #expect(try talk.answer("GET /api/q").hasSuffix("<|none>"))
    }

    @Test(arguments: [
        "GET / HTTP/2.0\r\n", "GET  / HTTP/1.1\r\n", "G@T / HTTP/1.1\r\n", "\u{1}\r\n",
        "GET / HTTP/1.1\r\nHost : x\r\n", "GET / HTTP/1.1\r\n Folded: x\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
    ])
    func `the web server rejects a malformed or ambiguous request and closes the connection`(
        start: String
    ) throws {
        let talk = try WebTalk { router in
            router.add(.get, "/") { _ in WebResponse(type: "text/plain", Array("page".utf8)) }
        }
        let connection = try talk.connect()
        connection.send(start + "Host: \(talk.host)\r\n\r\n")
        connection.send("GET / HTTP/1.1\r\nHost: \(talk.host)\r\n\r\n")
        let answer = connection.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 5"))
        #expect(!answer.contains("page"))
    }

    @Test func `the web server sends 204 and 304 responses without Content-Length`() throws {
        let talk = try WebTalk { router in
            router.add(.get, "/api/none") { _ in WebResponse(status: 204) }
            router.add(.get, "/api/same") { _ in WebResponse(status: 304) }
        }
        for (path, status) in [("/api/none", 204), ("/api/same", 304)] {
            let answer = try talk.answer("GET \(path)")
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            #expect(!answer.contains("Content-Length"))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `the web server responds to an HTTP/1.0 request and then closes the connection`()
        throws
    {
        let talk = try WebTalk { router in
            router.add(.get, "/") { _ in WebResponse(type: "text/plain", Array("page".utf8)) }
        }
        let connection = try talk.connect()
        connection.send("GET / HTTP/1.0\r\nHost: \(talk.host)\r\n\r\n")
        let answer = connection.readToEnd()
        #expect(answer.contains("Connection: close\r\n"))
        #expect(answer.hasSuffix("\r\n\r\npage"))
    }
}
