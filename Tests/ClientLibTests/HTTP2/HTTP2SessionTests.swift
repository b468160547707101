import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydHTTPModel
import Testing

/// Sessions that speak HTTP/2.
struct HTTP2SessionTests {
    private func session(_ sink: MemoryExchangeSink? = nil, streams: Int = 100) -> Session {
        var configuration = SessionConfiguration()
        configuration.protocols = [.http2PriorKnowledge]
        configuration.maximumStreamsPerHost = streams
        guard let sink else { return Session(configuration: configuration) }
        return Session(recordingInto: sink, configuration: configuration)
    }

    @Test func `a session uses the HTTP version negotiated in the TLS handshake`() async throws {
        let authority = try TestAuthority()
        let http2 = try HTTP2TestServer(tls: authority.context(authority.leaf())) { _ in
            .text("two")
        }
        let http1 = try ScriptedServer(tls: authority.context(authority.leaf())) { _ in
            ScriptedServer.response(200, "one")
        }
        var configuration = SessionConfiguration()
        configuration.trustedAuthorities = .files([authority.rootPath])
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        let two = await session.request(http2.url("https")).serializingString().response
        #expect(two.value == "two")
        #expect(two.response?.version == .http2)
        let one = await session.request("https://127.0.0.1:\(http1.port)").serializingString()
            .response
        #expect(one.value == "one")
        #expect(one.response?.version == .http11)
    }

    @Test(arguments: [
        (alpn: ["http/1.1"], words: "no_application_protocol"),
        (alpn: [], words: "the server does not speak HTTP/2"),
    ])
    func `a request fails if the server does not support the only HTTP version allowed`(
        alpn: [String], words: String
    ) async throws {
        let authority = try TestAuthority()
        let server = try ScriptedServer(
            tls: authority.context(authority.leaf()), alpn: alpn
        ) { _ in ScriptedServer.response(200, "one") }
        var configuration = SessionConfiguration()
        configuration.trustedAuthorities = .files([authority.rootPath])
        configuration.protocols = [.http2]
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        let error = await session.request("https://127.0.0.1:\(server.port)").serializingData()
            .response.error
        #expect(error.map { "\($0)" }?.contains(words) == true, "\(error as Any)")
        #expect(server.received.isEmpty)
    }

    @Test func `a request head is sent with HTTP/2 pseudo-headers and lower-case field names`()
        async throws
    {
        let server = try HTTP2TestServer { _ in
            .response(200, [("x-b", "c")], Array("body".utf8), trailers: [("grpc-status", "0")])
        }
        let session = session()
        defer { session.shutdown() }
        var request = HTTPRequest(
            method: .post, url: try RawURL(server.url() + "/a?b#c"),
            fields: HeaderFields([
                ("X-A", "1"), ("Connection", "close"), ("Host", "other.test"),
                ("User-Agent", "u"), ("Accept", "*/*"), ("Accept-Encoding", "x"),
                ("Accept-Language", "x"), ("TE", "trailers"),
            ]), body: .bytes(Array("sent".utf8)))
        request.trailers = nil
        let response = await session.request(request).serializingString().response
        #expect(response.value == "body")
        #expect(response.response?.fields["x-b"] == "c")
        let received = try #require(server.received.first)
        #expect(received.body == Array("sent".utf8))
        #expect(
            received.text
                == ":method: POST\r\n:scheme: http\r\n:authority: other.test\r\n:path: /a?b\r\n"
                + "x-a: 1\r\nuser-agent: u\r\naccept: */*\r\naccept-encoding: x\r\n"
                + "accept-language: x\r\nte: trailers\r\ncontent-length: 4\r\n\r\n")
    }

    @Test func `trailers are sent and received over HTTP/2`() async throws {
        let server = try HTTP2TestServer { _ in
            .response(200, [], Array("body".utf8), trailers: [("grpc-status", "0")])
        }
        let sink = MemoryExchangeSink()
        let session = session(sink)
        defer { session.shutdown() }
        let request = HTTPRequest(
            method: .post, url: try RawURL(server.url()), body: .bytes(Array("x".utf8)),
            trailers: HeaderFields([("X-T", "1")]))
        #expect(await session.request(request).serializingString().response.value == "body")
        #expect(server.received.first?.trailers?["x-t"] == "1")
        #expect(sink.exchanges.first?.last?.responseTrailers?["grpc-status"] == "0")
    }

    @Test func `concurrent requests share one HTTP/2 connection within the server's stream limit`()
        async throws
    {
        // Answers come when eight wait: none would, were they counted as connections of HTTP/1.
        let server = try HTTP2TestServer(streamCountMax: 12) { received in
            received.stream.rawValue % 24 == 23 ? .text("x") : .later
        }
        let session = session()
        defer { session.shutdown() }
        let url = server.url()
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<36 {
                group.addTask { await session.request(url).serializingString().response.value }
            }
            for await value in group { #expect(value == "x") }
        }
        #expect(server.connectionCount == 1)
        #expect(server.received.count == 36)
    }

    @Test
    func `a refused HTTP/2 stream is retried on another connection, but a reset stream fails`()
        async throws
    {
        let server = try HTTP2TestServer { received in
            switch received.head.targetText {
            case "/refused" where received.connection == 1: .reset(.refusedStream)
            case "/reset": .reset(.enhanceYourCalm)
            default: .text("x")
            }
        }
        let sink = MemoryExchangeSink()
        let session = session(sink)
        defer { session.shutdown() }
        let again = await session.request(server.url() + "/refused", method: .post)
            .serializingString().response
        #expect(again.value == "x")
        let failed = await session.request(server.url() + "/reset").serializingString().response
        #expect(failed.error != nil)
        #expect(sink.exchanges.last?.http2?.reset?.code == .enhanceYourCalm)
        // A reset is an answer, even to a request that could be repeated.
        #expect(server.received.count { $0.head.targetText == "/reset" } == 1)
    }

    @Test func `an HTTP/2 exchange is recorded with its stream ID, head and frames`() async throws {
        let server = try HTTP2TestServer { _ in .text("x") }
        let sink = MemoryExchangeSink()
        let session = session(sink)
        defer { session.shutdown() }
        for _ in 0..<2 { _ = await session.request(server.url()).serializingString().response }
        let exchanges = sink.exchanges
        #expect(exchanges.map { $0.http2?.serverStream?.rawValue } == [1, 3])
        #expect(exchanges.map { $0.http2?.serverVersion } == [.http2, .http2])
        #expect(exchanges[0].head?.version == .http2)
        #expect(exchanges[0].head?.bytes == server.received[0].head.bytes)
        let frames = FrameTimeline.records(exchanges[0].last?.frames ?? [])
        #expect(frames.map(\.typeName).starts(with: ["HEADERS", "HEADERS", "DATA"]))
        #expect(sink.connections.last?.http2?.peerSettings.isEmpty == false)
        #expect(Set(sink.connections.map(\.id)).count == 1)
    }
}
