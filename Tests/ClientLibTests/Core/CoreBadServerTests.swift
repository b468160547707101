import ClientLib
import ProxydClientTestSupport
import ProxydContentCoding
import Testing

struct CoreBadServerTests {
    private static func error(
        _ steps: [ScriptedServer.Step], _ configuration: SessionConfiguration = .default
    ) async throws -> ClientError? {
        let server = try ScriptedServer { _ in steps }
        let session = Session(configuration: configuration)
        return await session.request(server.url).serializingData().response.error
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n",
    ])
    func `a malformed HTTP response is reported as the server's fault`(_ text: String) async throws
    {
        let error = try #require(try await Self.error([.text(text), .close]))
        #expect(error.kind == .network(.malformedResponse))
        #expect(error.fault == .server)
    }

    @Test func `minor protocol violations in a response are tolerated and recorded as repairs`()
        async throws
    {
        let server = try ScriptedServer { _ in
            [
                .text(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n"
                        + "My Name: x\r\n\r\n5\nhello\r\n0\r\n\r\n")
            ]
        }
        let session = Session()
        let response = await session.request(server.url).serializingString().response
        #expect(response.value == "hello")
        #expect(response.exchanges.first?.responseFault?.repairs.count == 3)
        #expect(try await session.request(server.url).serializingString().value == "hello")
        #expect(server.connectionCount == 2)
    }

    @Test func `a response body shorter than its Content-Length is reported as the server's fault`()
        async throws
    {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
        let error = try #require(try await Self.error([.text(text), .close]))
        #expect(error.kind == .network(.closedEarly))
        #expect(error.phase == .receive)
        #expect(error.fault == .server)
    }

    @Test func `the record of a failed attempt has the part of the body that was received`()
        async throws
    {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour"
        let server = try ScriptedServer { _ in [.text(text), .close] }
        var configuration = SessionConfiguration.default
        configuration.recordsBodies = true
        let session = Session(configuration: configuration)
        let response = await session.request(server.url).serializingData().response
        let body = try #require(response.exchanges.last?.response?.body)
        #expect(response.error != nil)
        #expect(body.byteCount == 4 && body.kept == Array("four".utf8))
    }

    @Test func `bytes after a response body are discarded, and the connection is not reused`()
        async throws
    {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 500 NO\r\n\r\n")]
        }
        let session = Session()
        for _ in 0..<2 {
            #expect(try await session.request(server.url).serializingString().value == "abc")
        }
        #expect(server.connectionCount == 2)
    }

    @Test
    func `a connection that is reset or closed without a response is reported as closed early`()
        async throws
    {
        #expect(try await Self.error([.close])?.kind == .network(.closedEarly))
        #expect(try await Self.error([.reset])?.kind == .network(.closedEarly))
        #expect(try await Self.error([.close])?.phase == .wait)
    }

    @Test func `content codings are decoded, and the recorded exchange keeps the encoded bytes`()
        async throws
    {
        let text = String(repeating: "abc", count: 1_000)
        let coded = try ContentEncoder.encode(Array(text.utf8).span, as: .gzip)
        let server = try ScriptedServer { _ in
            ScriptedServer.response(200, coded, headers: [("Content-Encoding", "gzip")])
        }
        let plain = await Session.default.request(server.url).serializingString().response
        #expect(plain.value == text)
        #expect(plain.exchanges.first?.response?.body.byteCount == Int64(coded.count))
        #expect(plain.exchanges.first?.response?.body.kept == [])
        var configuration = SessionConfiguration.default
        configuration.recordsBodies = true
        let session = Session(configuration: configuration)
        let kept = await session.request(server.url).serializingString().response
        #expect(kept.exchanges.first?.response?.body.kept == coded)
        configuration.decompressesResponses = false
        let raw = Session(configuration: configuration)
        #expect(try await raw.request(server.url).serializingData().value == coded)
    }

    @Test func `decoding of a decompression bomb stops at the configured limit`() async throws {
        let coded = try ContentEncoder.encode([UInt8](repeating: 0, count: 8 << 20).span, as: .gzip)
        let steps = ScriptedServer.response(200, coded, headers: [("Content-Encoding", "gzip")])
        var configuration = SessionConfiguration.default
        configuration.decodingLimits = DecodingLimits(
            decodedByteCountMax: 1 << 20, ratioMax: 10, slackByteCount: 1_000)
        let error = try #require(try await Self.error(steps, configuration))
        guard case .decodingFailed(.overLimit) = error.kind else {
            return #expect(Bool(false), "\(error)")
        }
        #expect(error.fault == .server)
        #expect(error.phase == .decode)
    }

    @Test func `a corrupt response body or an unsupported content coding is a decoding error`()
        async throws
    {
        let rubbish = ScriptedServer.response(200, "xx", headers: [("Content-Encoding", "gzip")])
        #expect(try await Self.error(rubbish)?.kind == .decodingFailed(.corruptInput(.gzip)))
        let unknown = ScriptedServer.response(200, "xx", headers: [("Content-Encoding", "lzma")])
        #expect(
            try await Self.error(unknown)?.kind == .decodingFailed(.unsupportedCoding("lzma")))
    }

    @Test func `a response body over the session's size limit is an error`() async throws {
        var configuration = SessionConfiguration.default
        configuration.maximumResponseByteCount = 10
        let error = try await Self.error(
            ScriptedServer.response(200, "01234567890"), configuration)
        #expect(error?.kind == .responseTooLarge(limit: 10))
    }

    @Test func `a recorded exchange keeps interim responses and trailers`() async throws {
        let server = try ScriptedServer { _ in
            [
                .text(
                    "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n")
            ]
        }
        let response = await Session.default.request(server.url).serializingString().response
        #expect(response.value == "abc")
        #expect(response.exchanges.first?.informational.map(\.status) == [103])
        #expect(response.exchanges.first?.response?.trailers?["X-Sum"] == "1")
    }
}
