import ClientLib
import ProxydClientTestSupport
import Testing

struct CoreRequestHeadTests {
    @Test
    func `Host is sent first, then the request's fields in order, then the remaining defaults`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let session = Session()
        let headers: HeaderFields = [
            "X-b": "1", "x-A": "2", "X-B": "3", "user-agent": "mine", "Accept": "*/*",
        ]
        _ = await session.request(server.url, headers: headers).serializingResponse().response
        let names = try #require(server.received.first).head.fields.pairs.map(\.name)
        #expect(names.first == "Host")
        #expect(names[1...5] == ["X-b", "x-A", "X-B", "user-agent", "Accept"])
        #expect(names.filter { $0.lowercased() == "user-agent" }.count == 1)
        #expect(names.contains("Accept-Encoding"))
    }

    @Test
    func `a NUL or line break in a header value, or a space in a header name, is rejected`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let session = Session()
        for (name, value) in [("X-A", "b\r\nX-C: d"), ("X-A", "b\nc"), ("X-A", "b\0")] {
            let error = await session.request(server.url, headers: [name: value])
                .serializingData().response.error
            #expect(error?.kind == .invalidRequest(.badFieldValue(name: "X-A")))
            #expect(error?.fault == .caller)
            #expect(error.map { "\($0)".contains("X-C") } == false)
        }
        let error = await session.request(server.url, headers: ["X A": "b"])
            .serializingData().response.error
        #expect(error?.kind == .invalidRequest(.badFieldName))
        #expect(server.connectionCount == 0)
    }

    @Test func `a request whose method is not a token or whose host has a line break is rejected`()
        async
    {
        let session = Session()
        let bad = HTTPRequest(method: "GE T", url: "http://127.0.0.1/")
        #expect(
            await session.request(bad).serializingData().response.error?.kind
                == .invalidRequest(.badMethod))
        let url = RawURL(scheme: "http", host: "a\r\nX: y", port: 80, origin: Array("/".utf8))
        #expect(
            await session.request(url).serializingData().response.error?.kind
                == .invalidURL(.badHost))
    }

    @Test
    func `without a body, a POST is sent with Content-Length 0 and a GET without Content-Length`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let session = Session()
        _ = try await session.request(server.url, method: .post).serializingData().value
        _ = try await session.request(server.url).serializingData().value
        #expect(server.received[0].header("Content-Length") == "0")
        #expect(server.received[1].header("Content-Length") == nil)
    }

    @Test
    func `a Content-Length that does not match the request body is reported as the caller's fault`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let request = HTTPRequest(
            method: .post, url: try RawURL(server.url), fields: ["Content-Length": "7"],
            body: .text("12345"))
        let error = await Session.default.request(request).serializingData().response.error
        #expect(error?.kind == .bodyLengthMismatch(declared: 7, actual: 5))
        #expect(error?.fault == .caller)
        #expect(server.received.isEmpty)
    }

    @Test func `request trailers are sent after a chunked body`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let request = HTTPRequest(
            method: .post, url: try RawURL(server.url), body: .text("abc"),
            trailers: ["X-Sum": "1"])
        _ = try await Session.default.request(request).serializingData().value
        let received = try #require(server.received.first)
        #expect(received.bodyText == "abc")
        #expect(received.trailers?["X-Sum"] == "1")
    }

    @Test func `a raw request head set by the caller is sent byte for byte`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        var request = HTTPRequest(url: try RawURL(server.url))
        request.exactHead = RequestHead(
            method: .get, target: Array("/exact".utf8),
            fields: ["hOST": "elsewhere.test", "x-a": "1", "X-A": "2"])
        _ = try await Session.default.request(request).serializingData().value
        #expect(server.received.first?.head.bytes == request.exactHead?.bytes)
    }

    @Test func `parameters go into the query of a GET and the body of a POST`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let session = Session()
        let parameters: Parameter = ["b": [1, 2], "a": "x y"]
        _ = try await session.request(server.url + "/?z=0", parameters: parameters)
            .serializingData().value
        _ = try await session.request(server.url, method: .post, parameters: parameters)
            .serializingData().value
        _ = try await session.request(
            server.url, method: .post, parameters: ["k": 1], encoder: .json
        ).serializingData().value
        #expect(server.received[0].head.targetText == "/?z=0&a=x%20y&b%5B%5D=1&b%5B%5D=2")
        #expect(server.received[1].bodyText == "a=x%20y&b%5B%5D=1&b%5B%5D=2")
        #expect(
            server.received[1].header("Content-Type")
                == "application/x-www-form-urlencoded; charset=utf-8")
        #expect(server.received[2].bodyText == #"{"k":1}"#)
        #expect(server.received[2].header("Content-Type") == "application/json")
    }

    @Test func `a request modifier runs before parameters are encoded`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        _ = try await Session.default.request(
            server.url, parameters: ["a": 1] as Parameter,
            requestModifier: { $0.method = .put }
        ).serializingData().value
        #expect(server.received.first?.head.method == .put)
        #expect(server.received.first?.bodyText == "a=1")
    }
}

struct CoreURLTests {
    @Test func `a URL's path and query are kept exactly as written`() throws {
        let text = "HTTP://Api.Test:8080/a%zz/../b?q=%E4%B8%80&x=%zz&&y#frag"
        let url = try RawURL(text)
        #expect(url.scheme == "http")
        #expect(url.host == "Api.Test")
        #expect(url.port == 8080)
        #expect(url.pathText == "/a%zz/../b")
        #expect(url.queryText == "q=%E4%B8%80&x=%zz&&y")
    }

    @Test func `an empty URL path becomes a slash, even before a query`() throws {
        func url(_ text: String) throws -> RawURL { try RawURL(text) }
        #expect(try url("https://a.test").pathText == "/")
        #expect(try url("https://a.test?b=c").origin == Array("/?b=c".utf8))
        #expect(try url("https://a.test:/x").port == 443)
        #expect(try url("http://[::1]:81/x").host == "::1")
    }

    @Test(arguments: [
        ("", ClientError.URLProblem.notAbsolute), ("/a", .notAbsolute), ("a.test", .notAbsolute),
        ("ftp://a.test/", .unsupportedScheme), ("http://", .badHost), ("http:///a", .badHost),
        ("http://a.test:0/", .badPort), ("http://a.test:65536/", .badPort),
        ("http://a.test:8x/", .badPort), ("http://u:p@a.test/", .userInfo),
        ("http://a.test/a b", .unencodedByte), ("http://a.test/\r\nX: y", .unencodedByte),
        ("http://a.test/\u{4E00}", .unencodedByte), ("http://[::1/", .badHost),
        ("http://[::1]x/", .badHost), ("http://a\"b/", .badHost),
    ])
    func `an invalid or unsupported URL is rejected with a reason`(
        _ text: String, problem: ClientError.URLProblem
    ) {
        #expect {
            try RawURL(text)
        } throws: { error in
            guard let error = error as? ClientError else { return false }
            return error.kind == .invalidURL(problem) && error.fault == .caller
                && error.phase == .url
        }
    }

    @Test func `a request made from an invalid URL literal fails when it is sent, not before`()
        async
    {
        let session = Session()
        let request = HTTPRequest(url: "not a url")
        let error = await session.request(request).serializingData().response.error
        #expect(error?.kind == .invalidURL(.notAbsolute))
    }

    @Test func `a request with an invalid URL reports the error to its handlers`() async {
        let response = await Session.default.request("nonsense").serializingData().response
        #expect(response.error?.kind == .invalidURL(.notAbsolute))
        #expect(response.exchanges.isEmpty)
    }
}
