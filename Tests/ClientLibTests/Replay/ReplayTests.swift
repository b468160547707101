import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydContentCoding
import ProxydHTTPWire
import Testing

struct ReplayTests {
    private static func server() throws -> ScriptedServer {
        try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
    }

    /// The only head that a server got, as text.
    private static func head(_ server: ScriptedServer) throws -> String {
        let bytes = try #require(server.received.first?.head.bytes)
        return String(String.UnicodeScalarView(bytes.map(Unicode.Scalar.init)))
    }

    @Test func `an exact replay sends the request head byte for byte`() async throws {
        let server = try ReplayTests.server()
        let head = """
            GET /a?x=%7e&&y HTTP/1.1
            hOsT:127.0.0.1:\(server.port)
            x-B:  two  spaces 
            X-b: again
            X-Empty:
            Cookie: a=\u{E9}\u{FF}
            User-Agent:none\n\n
            """
        let exchange = try CapturedRequest.exchange(head, to: server.port)
        let session = Session()
        defer { session.shutdown() }
        for _ in 0..<2 {
            let response = await session.replay(of: exchange).serializingData().response
            #expect(response.error == nil)
        }
        let wanted = head.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\r\n")
        #expect(server.received.count == 2)
        for received in server.received {
            #expect(received.head.bytes == wanted.latin1)
        }
    }

    @Test func `an exact replay sends the request as proxyd sent it, not as proxyd received it`()
        async throws
    {
        let server = try ReplayTests.server()
        let exchange = try CapturedRequest.exchange(
            """
            GET http://127.0.0.1:\(server.port)/ HTTP/1.1
            Host: else.where
            Proxy-Connection: keep-alive
            Connection: X-Hop
            X-Hop: 1
            X-Kept: 2\n\n
            """, to: server.port)
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(of: exchange).serializingData().response
        #expect(
            try ReplayTests.head(server)
                == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nX-Kept: 2\r\n\r\n")
    }

    @Test
    func `an exact replay sends the body that the server received, not the one the client sent`()
        async throws
    {
        let server = try ReplayTests.server()
        var exchange = try CapturedRequest.exchange(
            """
            POST / HTTP/1.1
            Host: 127.0.0.1:\(server.port)
            Content-Length: 4\n\n
            """, to: server.port, body: Array("came".utf8))
        exchange.request.sentBody = Body(Array("what went".utf8))
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(of: exchange).serializingData().response
        #expect(server.received.map(\.bodyText) == ["what went"])
        #expect(server.received.first?.header("Content-Length") == "9")
        exchange.request.sentBody = Body()
        _ = await session.replay(of: exchange).serializingData().response
        #expect(server.received.last?.bodyText == "")
        #expect(server.received.last?.header("Content-Length") == "0")
    }

    @Test func `replaying a chunked request sends it chunked again, with its trailers`()
        async throws
    {
        let server = try ReplayTests.server()
        let exchange = try CapturedRequest.exchange(
            """
            POST / HTTP/1.1
            Host: 127.0.0.1:\(server.port)
            Transfer-Encoding: Chunked\n\n
            """, to: server.port, body: Array("some body".utf8),
            trailers: HeaderFields([(name: "X-Sum", value: "9")]))
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(of: exchange).serializingData().response
        let received = try #require(server.received.first)
        #expect(received.header("Transfer-Encoding") == "Chunked")
        #expect(received.bodyText == "some body")
        #expect(received.trailers?["X-Sum"] == "9")
    }

    @Test func `a replay adds no session headers or cookies and follows no redirect`() async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(
                302, "", headers: [("Location", "/elsewhere"), ("Set-Cookie", "a=1")])
        }
        let session = Session()
        defer { session.shutdown() }
        let exchange = try CapturedRequest.exchange(
            "GET / HTTP/1.1\nHost: 127.0.0.1:\(server.port)\n\n", to: server.port)
        for fidelity in ReplayFidelity.allCases {
            let response = await session.replay(of: exchange, fidelity: fidelity)
                .serializingData().response
            #expect(response.response?.status == 302)
        }
        #expect(server.received.map(\.head.fields.count) == [1, 1])
    }

    @Test func `the recording of a replay refers to the ID of the original exchange`() async throws
    {
        let server = try ReplayTests.server()
        let sink = MemoryExchangeSink()
        let exchange = try CapturedRequest.exchange(
            "GET / HTTP/1.1\nHost: h\n\n", to: server.port, id: 42)
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let response = await session.replay(of: exchange)
            .serializingData().response
        #expect(sink.exchanges.map(\.replayOf) == [ExchangeID(rawValue: 42)])
        #expect(response.exchanges.first?.replayOf == ExchangeID(rawValue: 42))
        #expect(response.exchanges.first?.id == sink.updates.first?.id)
    }

    // MARK: Semantic

    private static func replayed(
        _ head: String, body: String = "", _ edits: [ReplayEdit], port: UInt16? = nil
    ) async throws -> (ScriptedServer.Received, String) {
        let server = try ReplayTests.server()
        let exchange = try CapturedRequest.exchange(
            head.replacing("PORT", with: "\(server.port)"), to: server.port,
            body: Array(body.utf8))
        let session = Session()
        defer { session.shutdown() }
        let response = await session.replay(of: exchange, fidelity: .semantic, editing: edits)
            .serializingData().response
        if let error = response.error { throw error }
        let received = try #require(server.received.first)
        return (received, try ReplayTests.head(server).replacing("\(server.port)", with: "PORT"))
    }

    private static let form = """
        POST /p?a=1&b=%7e&a=2 HTTP/1.1
        Host: 127.0.0.1:PORT
        content-TYPE:  application/x-www-form-urlencoded
        Content-Length: 13
        X-Z: 1\n\n
        """

    @Test func `editing a header field of a replay keeps its position and the other fields' bytes`()
        async throws
    {
        let (_, head) = try await ReplayTests.replayed(
            ReplayTests.form, body: "u=a+b&t=%41&&",
            [.header(name: "CONTENT-type", value: "text/plain"), .header(name: "X-Z", value: nil)])
        #expect(
            head == "POST /p?a=1&b=%7e&a=2 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"
                + "CONTENT-type: text/plain\r\nContent-Length: 13\r\n\r\n")
    }

    @Test func `editing a query parameter of a replay leaves the bytes of the others unchanged`()
        async throws
    {
        let (_, head) = try await ReplayTests.replayed(
            ReplayTests.form, body: "u=a+b&t=%41&&",
            [.query(name: "a", value: "x y&"), .query(name: "new", value: "é")])
        #expect(head.hasPrefix("POST /p?a=x%20y%26&b=%7e&a=2&new=%C3%A9 HTTP/1.1\r\n"))
        let (_, other) = try await ReplayTests.replayed(
            ReplayTests.form, body: "u=a+b&t=%41&&",
            [.query(name: "a", value: nil), .query(name: "b", value: nil)])
        #expect(other.hasPrefix("POST /p HTTP/1.1\r\n"))
    }

    @Test func `editing a form parameter of a replay leaves the bytes of the others unchanged`()
        async throws
    {
        let (received, head) = try await ReplayTests.replayed(
            ReplayTests.form, body: "u=a+b&t=%41&&", [.form(name: "t", value: "longer value")])
        #expect(received.bodyText == "u=a+b&t=longer%20value&&")
        #expect(head.contains("content-TYPE:  application/x-www-form-urlencoded\r\n"))
        #expect(head.contains("\r\nContent-Length: 24\r\nX-Z: 1\r\n"))
    }

    @Test func `fields of a multipart form can be changed or removed in a replay`() async throws {
        let body =
            "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n"
            + "\u{0}\r\n\r\n--B--\r\n"
        let head = """
            POST / HTTP/1.1
            Host: 127.0.0.1:PORT
            Content-Type: multipart/form-data; boundary=B
            Content-Encoding: gzip
            Content-Length: \(body.utf8.count)\n\n
            """
        let (received, sent) = try await ReplayTests.replayed(
            head, body: body, [.form(name: "a", value: "22"), .form(name: "f", value: nil)])
        #expect(
            received.bodyText
                == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n22\r\n--B--\r\n")
        // The body was not coded, so it stays as it was named.
        #expect(sent.contains("\r\nContent-Encoding: gzip\r\n"))
        #expect(received.header("Content-Length") == "\(received.body.count)")
    }

    @Test
    func `a JSON value in a replayed body can be replaced in place by JSON or plain text`()
        async throws
    {
        let head = """
            PUT / HTTP/1.1
            Host: 127.0.0.1:PORT
            Content-Type: application/json
            Content-Length: 36\n\n
            """
        let (received, _) = try await ReplayTests.replayed(
            head, body: #"{"a": [1, {"x.y": 1.50}], "b":null }"#,
            [
                .json(path: #"a[1]["x.y"]"#, value: "[2]"), .json(path: "b", value: "plain"),
                .json(path: "a[0]", value: nil), .json(path: "c.d", value: "true"),
            ])
        #expect(
            received.bodyText == #"{"a": [{"x.y": [2]}], "b":"plain","c":{"d":true} }"#)
        #expect(received.header("Content-Length") == "\(received.body.count)")
    }

    @Test
    func `the method and URL of a replay can be edited, and Host is changed to match the URL`()
        async throws
    {
        let other = try ReplayTests.server()
        let server = try ReplayTests.server()
        let exchange = try CapturedRequest.exchange(
            "GET /a HTTP/1.1\nX-First: 1\nhost: 127.0.0.1:\(server.port)\nX-Last: 2\n\n",
            to: server.port)
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(
            of: exchange, fidelity: .semantic,
            editing: [
                .query(name: "q", value: "1"), .url(other.url + "/b"), .method("DELETE"),
            ]
        ).serializingData().response
        #expect(server.received.isEmpty)
        #expect(
            try ReplayTests.head(other)
                == "DELETE /b?q=1 HTTP/1.1\r\nX-First: 1\r\nhost: 127.0.0.1:\(other.port)\r\n"
                + "X-Last: 2\r\n\r\n")
    }

    @Test func `an edited Host field of a replay is kept when its URL is edited too`() async throws
    {
        let (_, head) = try await ReplayTests.replayed(
            "GET /a HTTP/1.1\nHost: 127.0.0.1:PORT\n\n",
            [.header(name: "Host", value: "virtual.test"), .url("/b?c")])
        #expect(head == "GET /b?c HTTP/1.1\r\nHost: virtual.test\r\n\r\n")
    }

    @Test func `a replay with an edited body sends it decoded, without Content-Encoding`()
        async throws
    {
        let server = try ReplayTests.server()
        let plain = Array(#"{"a":1}"#.utf8)
        let coded = try ContentEncoder.encode(plain.span, as: .gzip)
        let exchange = try CapturedRequest.exchange(
            """
            POST / HTTP/1.1
            Host: h
            Content-Encoding: gzip
            Content-Type: application/json
            Content-Length: \(coded.count)\n\n
            """, to: server.port, body: coded)
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(of: exchange, fidelity: .semantic).serializingData().response
        _ = await session.replay(
            of: exchange, fidelity: .semantic, editing: [.json(path: "a", value: "2")]
        ).serializingData().response
        let received = server.received
        try #require(received.count == 2)
        #expect(received[0].body == coded)
        #expect(received[0].header("Content-Encoding") == "gzip")
        #expect(received[1].bodyText == #"{"a":2}"#)
        #expect(received[1].header("Content-Encoding") == nil)
    }

    @Test func `a closure can change the request of a replay`() async throws {
        let server = try ReplayTests.server()
        let exchange = try CapturedRequest.exchange(
            "GET / HTTP/1.1\nHost: 127.0.0.1:\(server.port)\nAuthorization: secret\n"
                + "x-odd:  1\n\n", to: server.port)
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(of: exchange) { request in
            request.headers.removeAll(named: "Authorization")
            request.method = .post
            request.body = .bytes(Array("new".utf8))
        }.serializingData().response
        #expect(
            try ReplayTests.head(server)
                == "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nx-odd:  1\r\n"
                + "Content-Length: 3\r\n\r\n")
        #expect(server.received.first?.bodyText == "new")
    }

    @Test func `an exact replay leaves no cookies in the session`() async throws {
        let server = try ScriptedServer { request in
            ScriptedServer.response(
                200, "x", headers: [("Set-Cookie", "sid=replayed\(request.number)")])
        }
        let exchange = try CapturedRequest.exchange(
            "GET / HTTP/1.1\nHost: 127.0.0.1:\(server.port)\n\n", to: server.port)
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(of: exchange).serializingData().response
        _ = await session.request(server.url).serializingData().response
        #expect(server.received.map { $0.header("Cookie") } == [nil, nil])
    }
}

/// Exchanges as proxyd would have captured them.
enum CapturedRequest {
    /// An exchange whose request head is `head`, as it came from a client.
    static func exchange(
        _ head: String, to port: UInt16, body: [UInt8] = [], trailers: HeaderFields? = nil,
        response: Response? = nil, state: ExchangeState = .complete, id: Int64 = 7
    ) throws -> Exchange {
        let bytes = Array(head.replacingOccurrences(of: "\n", with: "\r\n").latin1)
        let parsed = try HeadParser.parseRequestHead(bytes)
        var origin = Array(parsed.target)
        if !origin.starts(with: [UInt8(ascii: "/")]) { origin = [UInt8(ascii: "/")] }
        return Exchange(
            id: ExchangeID(rawValue: id), state: state,
            request: Request(
                url: RawURL(scheme: "http", host: "127.0.0.1", port: port, origin: origin),
                head: parsed, body: Body(body), trailers: trailers),
            response: response, timeline: Timeline(wallStart: 1_000, start: 0))
    }

    static func response(
        _ status: Int, _ body: [UInt8], _ fields: [(name: String, value: String)] = []
    ) -> Response {
        Response(
            head: ResponseHead(status: status, reason: "OK", fields: HeaderFields(fields)),
            body: Body(body))
    }
}

extension String {
    /// One byte a character.
    var latin1: [UInt8] { unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}
