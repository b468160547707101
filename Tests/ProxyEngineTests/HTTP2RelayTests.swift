import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Streams of HTTP/2 through the engine: how they end on one side is how they end on the other, and
/// what of it is recorded.
struct HTTP2RelayTests {
    private struct Outcome: Sendable {
        var client: [String] = []
        var servers: [[String]] = []
        var rows: [RecordingSink.Recorded] = []
        var connections: [ConnectionRecord] = []

        init(_ scene: HTTP2Scene) {
            client = scene.client.got()
            servers = scene.servers.map { $0.got() }
            rows = scene.book.sink.rows
            connections = scene.book.sink.connections
        }
    }

    private static let request: HTTP2Scene.Step = { $0.client.request() }
    private static let connects: HTTP2Scene.Step = { $0.connects() }

    @Test(arguments: [HTTP2ErrorCode.cancel, .internalError, .http11Required, .enhanceYourCalm])
    func `a server's RST_STREAM before the response is passed to the client with its error code`(
        code: HTTP2ErrorCode
    ) throws {
        let outcome = try HTTP2Scene.play(
            [Self.request, Self.connects, { $0.server.reset(1, code) }], end: Outcome.init)
        #expect(outcome.client == ["1 reset \(code)"])
        #expect(outcome.rows[0].state == .failed && outcome.rows[0].status == nil)
        #expect(
            outcome.rows[0].http2?.reset
                == HTTP2Facts.Reset(side: .server, isOurs: false, code: code))
        #expect(outcome.rows[0].failure?.message == "the server reset the stream: \(code)")
    }

    @Test
    func `a server's RST_STREAM within a response is passed to the client with its error code`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                Self.request, Self.connects,
                {
                    $0.server.respond(1, body: .chunked)
                    $0.server.send(body: "part", on: 1)
                },
                { $0.server.reset(1, .cancel) },
            ], end: Outcome.init)
        #expect(outcome.client == ["1 200", "1 part", "1 reset CANCEL"])
        #expect(outcome.rows[0].status == 200 && outcome.rows[0].state == .failed)
        #expect(outcome.rows[0].http2?.reset?.code == .cancel)
    }

    @Test
    func `DATA that a server sent right before RST_STREAM reaches the client before the reset`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                Self.request, Self.connects,
                {
                    // All of it in one piece, as over TLS.
                    $0.server.respond(1, body: .chunked)
                    $0.server.send(body: "part", on: 1)
                    $0.server.reset(1, .cancel)
                },
            ], end: Outcome.init)
        #expect(outcome.client == ["1 200", "1 part", "1 reset CANCEL"])
    }

    @Test
    func `a client's RST_STREAM is passed to the server and does not affect other streams`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                Self.request, Self.connects, { $0.client.request(.get, "/other") },
                { $0.client.reset(1, .enhanceYourCalm) },
                { $0.server.respond(3) },
            ], end: Outcome.init)
        #expect(outcome.client == ["3 200", "3 end"])
        #expect(
            outcome.servers == [
                ["1 GET /", "1 end", "3 GET /other", "3 end", "1 reset ENHANCE_YOUR_CALM"]
            ])
        #expect(outcome.rows.map(\.state) == [.failed, .complete])
        #expect(
            outcome.rows[0].http2?.reset
                == HTTP2Facts.Reset(side: .client, isOurs: false, code: .enhanceYourCalm))
        #expect(outcome.rows[1].http2?.reset == nil)
    }

    @Test func `a request that gets REFUSED_STREAM is repeated once on another connection`() throws
    {
        let outcome = try HTTP2Scene.play(
            [
                Self.request, Self.connects, { $0.server.reset(1, .refusedStream) },
                Self.connects, { $0.server.respond(1, 204) },
            ], end: Outcome.init)
        #expect(outcome.servers.map { $0.prefix(1) } == [["1 GET /"], ["1 GET /"]])
        #expect(outcome.client == ["1 204", "1 end"])
        let twice = try HTTP2Scene.play(
            [
                Self.request, Self.connects, { $0.server.reset(1, .refusedStream) },
                Self.connects, { $0.server.reset(1, .refusedStream) },
            ], end: Outcome.init)
        #expect(twice.client == ["1 unprocessed REFUSED_STREAM"])
    }

    @Test func `the HTTP/2 stream numbers and frames of both sides are recorded`() throws {
        let outcome = try HTTP2Scene.play(
            [
                { $0.client.request(.post, "/", body: .chunked) }, Self.connects,
                {
                    $0.client.send(body: "abc", on: 1)
                    $0.client.end(1)
                },
                {
                    $0.server.respond(1, body: .chunked)
                    $0.server.send(body: "defg", on: 1)
                    $0.server.end(1)
                },
            ], end: Outcome.init)
        let facts = outcome.rows[0].http2
        #expect(facts?.clientStream?.rawValue == 1 && facts?.serverStream?.rawValue == 1)
        #expect(facts?.serverVersion == .http2 && facts?.reset == nil)
        let frames = FrameTimeline.records(outcome.rows[0].frames).map { frame in
            let way =
                frame.side == .client ? (frame.isSent ? "c<" : "c>") : (frame.isSent ? "s>" : "s<")
            return "\(way) \(frame.typeName) \(frame.flags)"
                + (frame.type == 0 ? " \(frame.byteCount)" : "")
        }
        #expect(
            frames == [
                "c> HEADERS 4", "s> HEADERS 4", "c> DATA 1 3", "s> DATA 1 3", "s< HEADERS 4",
                "c< HEADERS 4", "s< DATA 1 4", "c< DATA 1 4",
            ])
    }

    @Test func `the HTTP/2 SETTINGS of both sides are recorded with their connections`() throws {
        let outcome = try HTTP2Scene.play(
            [Self.request, Self.connects, { $0.server.respond(1) }], end: Outcome.init)
        #expect(outcome.connections.map(\.side) == [.client, .server])
        let theirs = outcome.connections.compactMap { connection in
            connection.http2?.peerSettings.map { "\($0.name)=\($0.value)" }
        }
        #expect(
            theirs[0].contains("ENABLE_PUSH=0") && theirs[1].contains("MAX_CONCURRENT_STREAMS=100"))
        #expect(outcome.connections.allSatisfy { $0.http2?.ourSettings.isEmpty == false })
        let names = FrameTimeline.records(outcome.connections[0].http2?.frames ?? [])
            .map(\.typeName)
        #expect(names.contains("SETTINGS"))
    }

    @Test
    func `non-ASCII bytes in an HTTP/2 path are forwarded unchanged, and a fragment is removed`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                { $0.client.request(.get, "/\u{E9}?q=\u{20AC}#part") }, Self.connects,
                { $0.server.respond(1) },
            ], end: Outcome.init)
        #expect(outcome.servers[0].first == "1 GET /\u{E9}?q=\u{20AC}")
        #expect(outcome.client.first == "1 200")
        let recorded = String(decoding: outcome.rows[0].requestHead ?? [], as: UTF8.self)
        #expect(recorded.contains(":path: /\u{E9}?q=\u{20AC}#part\r\n"))
    }

    @Test func `a malformed HTTP/2 head is not recorded or answered until the recorder has room`()
        throws
    {
        let raw: HTTP2Scene.Step = { scene in
            // GET / of h, with a name in capitals.
            let block: [UInt8] = [0x82, 0x84, 0x86, 0x41, 1, 0x68, 0x00, 1, 0x58, 1, 0x62]
            let header: [UInt8] = [0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1]
            scene.book.clientSends(header + block)
        }
        for isReset in [false, true] {
            let (before, outcome) = try HTTP2Scene.play(
                [
                    { $0.book.sink.setCongested(true) }, raw,
                    { scene in
                        scene.noted = scene.book.sink.rows.map(\.status)
                        let reset: [UInt8] = [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8]
                        if isReset { scene.book.clientSends(reset) }
                    },
                    { $0.book.sink.setCongested(false) },
                ],
                end: { ($0.noted, Outcome($0)) })
            #expect(before == [])
            #expect(outcome.rows.map(\.status) == [isReset ? nil : 400])
            #expect(outcome.rows[0].state == .failed)
            #expect(outcome.rows[0].failure?.message.contains("capital letters") == true)
        }
    }

    @Test
    func `a forwarded HTTP/2 priority update has the number of the stream to the server`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                { $0.client.request(.get, "/first") }, Self.connects, { $0.server.respond(1) },
                { scene in
                    guard let id = scene.client.request(.get, "/second") else { return }
                    scene.client.send()
                    scene.client.machine.send(priority: Array("u=1, i".utf8), of: id)
                },
            ], end: Outcome.init)
        #expect(outcome.servers[0].last == "3 priority u=1, i")
    }

    @Test func `no HTTP/2 frames are recorded if frame recording is off`() throws {
        var configuration = EngineConfiguration()
        configuration.http2Frames = .none
        let outcome = try HTTP2Scene.play(
            configuration: configuration,
            [Self.request, Self.connects, { $0.server.respond(1) }], end: Outcome.init)
        #expect(outcome.rows[0].frames.isEmpty && outcome.rows[0].state == .complete)
        #expect(outcome.rows[0].http2?.clientStream != nil)
    }

    @Test func `HTTP/2 frames are recorded with their bytes if that is configured`() throws {
        var configuration = EngineConfiguration()
        configuration.http2Frames = .bytes(max: 1_000)
        let outcome = try HTTP2Scene.play(
            configuration: configuration,
            [
                Self.request, Self.connects,
                {
                    $0.server.respond(1, body: .chunked)
                    $0.server.send(body: "defg", on: 1)
                    $0.server.end(1)
                },
            ], end: Outcome.init)
        let frames = FrameTimeline.records(outcome.rows[0].frames)
        #expect(frames.allSatisfy { $0.bytes.count == Int($0.byteCount) + 9 })
        #expect(frames.last?.bytes == [0, 0, 4, 0, 1, 0, 0, 0, 1] + Array("defg".utf8))
    }

    @Test
    func `a CONNECT request over HTTP/2 opens a tunnel in which HTTP/1 requests are recorded`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                { scene in
                    let head = RequestHead(
                        method: .connect, target: Array("far:81".utf8), version: .http11,
                        fields: HeaderFields([(name: "host", value: "far:81")]))
                    let url = RawURL.tunnel(host: "far", port: 81)
                    _ = scene.client.machine.send(
                        ForwardedRequest(head: head, url: url, body: .untilClose))
                },
                { $0.book.connects() },
                { $0.client.send(body: "GET /in HTTP/1.1\r\nHost: far:81\r\n\r\n", on: 1) },
                { $0.book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") },
            ], end: Outcome.init)
        #expect(outcome.client.first == "1 200")
        #expect(outcome.client.dropFirst().joined().hasSuffix("Content-Length: 2\r\n\r\nhi"))
        #expect(outcome.rows.map(\.url) == ["http://far:81/in"])
        #expect(outcome.rows[0].state == .complete)
    }
}
