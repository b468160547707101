import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// Replays of what was captured over HTTP/2.
struct HTTP2ReplayTests {
    private static let head =
        ":method: POST\r\n:path: /a?b=c\r\n:scheme: http\r\n:authority: %\r\n"
        + "accept: */*\r\ncookie: a=b\r\ncookie: c=d\r\nauthorization: s\r\n\r\n"

    private func exchange(
        _ port: UInt16, version: HTTPVersion = .http2, scheme: String = "http"
    ) throws -> Exchange {
        let text = Self.head.replacing("%", with: "127.0.0.1:\(port)")
        let head = try HeadParser.parseRequestHead(Array(text.utf8)).withCodings(
            Array(repeating: FieldCoding(.added).rawValue, count: 7)
                + [FieldCoding(.neverIndexed).rawValue])
        var timeline = Timeline(wallStart: 1_000, start: 0)
        timeline[.requestLastByte] = 5
        var exchange = Exchange(
            id: ExchangeID(rawValue: 7), state: .complete,
            request: Request(
                url: RawURL(
                    scheme: scheme, host: "127.0.0.1", port: port, origin: Array("/a?b=c".utf8)),
                head: head, body: Body(Array("body".utf8)),
                trailers: HeaderFields([("x-t", "1")])),
            response: nil, timeline: timeline)
        exchange.http2 = HTTP2Facts()
        exchange.http2?.serverVersion = version
        return exchange
    }

    @Test(arguments: ReplayFidelity.allCases)
    func `a replay of an HTTP/2 request keeps field order, field encodings, body and trailers`(
        fidelity: ReplayFidelity
    ) async throws {
        let server = try HTTP2TestServer { _ in .text("x") }
        let session = Session()
        defer { session.shutdown() }
        let captured = try exchange(server.port)
        let response = await session.replay(of: captured, fidelity: fidelity).serializingString()
            .response
        #expect(response.value == "x")
        let received = try #require(server.received.first)
        #expect(received.head.bytes == captured.request.head?.bytes)
        #expect(received.head.fields.lines.last?.coding.representation == .neverIndexed)
        #expect(received.body == Array("body".utf8))
        #expect(received.trailers?["x-t"] == "1")
    }

    @Test
    func `a request captured over HTTP/3 is replayed over HTTP/2 if the server supports HTTP/2`()
        async throws
    {
        let authority = try TestAuthority()
        let server = try HTTP2TestServer(tls: authority.context(authority.leaf())) { _ in
            .text("x")
        }
        var configuration = SessionConfiguration()
        configuration.trustedAuthorities = .files([authority.rootPath])
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        var captured = try exchange(server.port, scheme: "https")
        captured.request.head = captured.request.head?.inVersion(.http3)
        captured.http2 = nil
        let response = await session.replay(of: captured).serializingString().response
        #expect(response.value == "x")
        #expect(server.received.first?.head.version == .http2)
        #expect(server.received.first?.head.targetText == "/a?b=c")
    }

    @Test func `edits of a replayed HTTP/2 request change only the edited fields`() async throws {
        let server = try HTTP2TestServer { _ in .text("x") }
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(
            of: try exchange(server.port), fidelity: .semantic,
            editing: [.url("/new"), .header(name: "accept", value: "text/plain")]
        ).serializingString().response
        let received = try #require(server.received.first)
        #expect(
            received.text
                == Self.head.replacing("%", with: "127.0.0.1:\(server.port)")
                .replacing("/a?b=c", with: "/new").replacing("*/*", with: "text/plain"))
        #expect(received.head.fields.lines.last?.coding.representation == .neverIndexed)
    }

    @Test func `HTTP/2 streams do not count towards the limit of HTTP/1.1 connections to a server`()
        async throws
    {
        let authority = try TestAuthority()
        let server = try HTTP2TestServer(
            tls: authority.context(authority.leaf()), streamCountMax: 100
        ) { _ in .text("x") }
        var configuration = SessionConfiguration()
        configuration.trustedAuthorities = .files([authority.rootPath])
        configuration.maximumConnectionsPerHost = 2
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        let first = await session.request(server.url("https")).serializingString().response
        #expect(first.response?.version == .http2)
        let captured = try exchange(server.port, scheme: "https")
        await withTaskGroup(of: HTTPVersion?.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    await session.replay(of: captured, version: .http11).serializingString()
                        .response.response?.version
                }
            }
            for await version in group { #expect(version == .http11) }
        }
        #expect(server.oldConnectionCount <= 2)
    }

    @Test func `a replay uses HTTP/1.1 if requested or if the captured server connection used it`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let session = Session()
        defer { session.shutdown() }
        _ = await session.replay(of: try exchange(server.port), version: .http11)
            .serializingString().response
        _ = await session.replay(of: try exchange(server.port, version: .http11))
            .serializingString().response
        #expect(server.received.count == 2)
        for received in server.received {
            #expect(received.head.version == .http11)
            #expect(received.header("Host") == "127.0.0.1:\(server.port)")
            #expect(received.header("Cookie") == "a=b; c=d")
            #expect(received.bodyText == "body")
        }
    }

    /// A client that was told HTTP/2 before its server could be asked says nothing of the server.
    @Test
    func `a request that never reached its server is replayed in a version the server supports`()
        async throws
    {
        let authority = try TestAuthority()
        let server = try ScriptedServer(tls: authority.context(authority.leaf())) { _ in
            ScriptedServer.response(200, "x")
        }
        var configuration = SessionConfiguration()
        configuration.trustedAuthorities = .files([authority.rootPath])
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        let text = ":method: GET\r\n:path: /a\r\n:scheme: https\r\n:authority: localhost\r\n\r\n"
        let head = try HeadParser.parseRequestHead(Array(text.utf8))
        var captured = Exchange(
            id: ExchangeID(rawValue: 7), state: .failed,
            request: Request(
                url: RawURL(
                    scheme: "https", host: "127.0.0.1", port: server.port,
                    origin: Array("/a".utf8)),
                head: head),
            response: nil, timeline: Timeline(wallStart: 1_000, start: 0))
        captured.timeline[.requestLastByte] = 5
        captured.http2 = HTTP2Facts()
        let response = await session.replay(of: captured).serializingString().response
        #expect(response.value == "x", "\(String(describing: response.error))")
        #expect(server.received.first?.head.version == .http11)
        captured.http2?.serverVersion = .http2
        let refused = await session.replay(of: captured).serializingString().response
        #expect(refused.error?.message.contains("no_application_protocol") == true)
    }

    @Test func `a request captured over HTTP/1.1 can be replayed over HTTP/2`() async throws {
        let server = try HTTP2TestServer { _ in .text("x") }
        let session = Session()
        defer { session.shutdown() }
        let captured = try CapturedRequest.exchange(
            "GET /a HTTP/1.1\nHost: h:\(server.port)\nX-A: 1\nConnection: close\n\n",
            to: server.port)
        let response = await session.replay(of: captured, version: .http2).serializingString()
            .response
        #expect(response.value == "x")
        #expect(
            server.received.first?.text
                == ":method: GET\r\n:scheme: http\r\n:authority: h:\(server.port)\r\n:path: /a\r\n"
                + "x-a: 1\r\n\r\n")
    }
}
