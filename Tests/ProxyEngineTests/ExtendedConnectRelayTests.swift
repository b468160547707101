import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// WebSockets and other protocols on streams of HTTP/2 (RFC 8441), to servers of HTTP/2.
struct ExtendedConnectRelayTests {
    private struct Outcome: Sendable {
        var client: [String]
        var servers: [[String]]
        var rows: [RecordingSink.Recorded]
        var isOffered: Bool
        var did: [String]
        var notes: [String]

        init(_ scene: HTTP2Scene) {
            client = scene.client.got()
            servers = scene.servers.map { $0.got() }
            rows = scene.book.sink.rows
            isOffered = scene.client.isOfferedExtendedConnect
            did = scene.book.did()
            notes = scene.notes
        }

        /// The exchange that follows the introduction.
        func row() throws -> RecordingSink.Recorded {
            try #require(rows.first { $0.method == "CONNECT" })
        }
    }

    private typealias Step = HTTP2Scene.Step

    /// A client that has a server which takes extended CONNECT, and knows it. What has happened
    /// up to there is forgotten; its next stream is number 3, on both sides.
    private static let introduced: [Step] = [
        { $0.client.request() }, { $0.connects(takingExtendedConnect: true) },
        { $0.server.respond(1) },
        {
            _ = $0.client.got()
            _ = $0.server.got()
        },
    ]
    /// A protocol of which nothing is known: its bytes are opaque.
    private static let connect: Step = { $0.client.connect("x-bytes") }
    private static let agree: Step = { $0.server.respond(3, 200, body: .untilClose) }

    private static func play(_ steps: [Step]) throws -> Outcome {
        try HTTP2Scene.play(introduced + steps, end: Outcome.init)
    }

    // MARK: The offer

    @Test
    func `extended CONNECT is offered to an HTTP/2 client once the server is known to offer it`()
        throws
    {
        let unknown = try HTTP2Scene.play([{ $0.client.request() }], end: Outcome.init)
        #expect(!unknown.isOffered)
        let refusing = try HTTP2Scene.play(
            [{ $0.client.request() }, { $0.connects() }, { $0.server.respond(1) }],
            end: Outcome.init)
        #expect(!refusing.isOffered)
        #expect(try Self.play([]).isOffered)
    }

    @Test func `extended CONNECT works if the server starts to offer it in later SETTINGS`() throws
    {
        let outcome = try HTTP2Scene.play(
            [
                { $0.client.request() }, { $0.connects() }, { $0.server.respond(1) },
                { $0.server.machine.offerExtendedConnect() }, Self.connect,
                { $0.server.respond(3, 200, body: .untilClose) },
            ], end: Outcome.init)
        #expect(outcome.isOffered)
        #expect(outcome.client.last == "3 200")
    }

    @Test
    func `in a tunnel, the server's offer of extended CONNECT is passed on before any request`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            begin: HTTP2Scene.init(tunnelIn:),
            [
                { _ in }, Self.connect, { $0.server.respond(1, 200, body: .untilClose) },
                {
                    $0.client.end(1)
                    $0.server.end(1)
                },
            ], end: Outcome.init)
        #expect(outcome.isOffered)
        #expect(outcome.servers == [["1 CONNECT /chat", "1 end"]])
        #expect(outcome.client == ["1 200", "1 end"])
        #expect(outcome.rows.map(\.url) == ["http://h/chat"])
    }

    @Test func `extended CONNECT from a client that was not offered it gets a 400`() throws {
        let outcome = try HTTP2Scene.play([Self.connect], end: Outcome.init)
        #expect(outcome.client.first == "1 400")
        #expect(outcome.rows[0].state == .failed && outcome.rows[0].malformed != nil)
        #expect(
            outcome.rows[0].failure?.message == "extended CONNECT was used and is not offered here")
    }

    @Test func `extended CONNECT to a server that does not offer it gets a 501 and is not sent`()
        throws
    {
        let outcome = try Self.play([
            { $0.client.connect(host: "other") }, { $0.connects() },
        ])
        #expect(outcome.servers[1] == [])
        #expect(outcome.client.first == "3 501")
        let row = try outcome.row()
        #expect(row.method == "CONNECT" && row.url == "http://other/chat" && row.status == 501)
        #expect(row.state == .failed && row.upgradedTo == nil)
        #expect(row.failure?.origin == .upstream)
        #expect(row.failure?.message.contains("RFC 8441") == true)
    }

    @Test func `extended CONNECT is not sent before the server's SETTINGS have arrived`() throws {
        let outcome = try Self.play([
            { $0.client.connect(host: "other") },
            { scene in
                scene.book.connects()
                scene.client.reset(3, .cancel)
            },
        ])
        // It was given up while it waited; a GET would have been sent immediately.
        #expect(try outcome.row().state == .failed && outcome.row().http2?.serverStream == nil)
        #expect(try outcome.row().http2?.reset?.side == .client)
        #expect(outcome.client == [])
    }

    // MARK: Streams

    @Test
    func `an extended CONNECT stream is relayed both ways, ended by both sides and recorded`()
        throws
    {
        let outcome = try Self.play([
            { $0.client.connect("x-bytes", fields: [("x-offered", "chat")]) },
            { $0.server.respond(3, 200, body: .untilClose, [("x-taken", "chat")]) },
            { $0.client.send(body: "up", on: 3) }, { $0.server.send(body: "down", on: 3) },
            { $0.client.end(3) },
            {
                $0.server.send(body: "!", on: 3)
                $0.server.end(3)
            },
        ])
        #expect(outcome.servers == [["3 CONNECT /chat", "3 up", "3 end"]])
        #expect(outcome.client == ["3 200", "3 down", "3 !", "3 end"])
        let row = try outcome.row()
        #expect(row.method == "CONNECT" && row.url == "http://h/chat" && row.status == 200)
        #expect(row.upgradedTo == "x-bytes" && row.failure == nil && row.state == .tunnel)
        #expect(row.requestByteCount == 2 && row.responseByteCount == 5)
        #expect(row.http2?.clientStream?.rawValue == 3 && row.http2?.serverStream?.rawValue == 3)
        #expect(row.http2?.serverVersion == .http2 && row.http2?.reset == nil)
        #expect(row.requestHeadSent == nil)
        let request = String(decoding: row.requestHead ?? [], as: UTF8.self)
        #expect(request.contains(":protocol: x-bytes\r\n") && request.contains("x-offered: chat"))
        let response = String(decoding: row.responseHead ?? [], as: UTF8.self)
        #expect(response == ":status: 200\r\nx-taken: chat\r\n\r\n")
        let frames = FrameTimeline.records(row.frames).map { frame in
            "\(frame.side == .client ? "c" : "s")\(frame.isSent ? "<" : ">") \(frame.typeName)"
                + " \(frame.byteCount)"
        }
        #expect(frames.contains("c> DATA 2") && frames.contains("s< DATA 2"))
        #expect(frames.contains("s> DATA 4") && frames.contains("c< DATA 4"))
        #expect(frames.last == "c< DATA 0")
    }

    @Test
    func `WebSocket messages over extended CONNECT are recorded, and the exchange is complete`()
        throws
    {
        let outcome = try Self.play([
            { $0.client.connect(fields: [("sec-websocket-version", "13")]) }, Self.agree,
            { $0.client.send(bytes: [0x81, 0x82, 0, 0, 0, 0, 0x75, 0x70], on: 3) },
            { $0.server.send(bytes: [0x82, 1, 0x64], on: 3) },
            {
                $0.client.send(bytes: [0x88, 0x82, 0, 0, 0, 0, 3, 0xE8], on: 3)
                $0.client.end(3)
            },
            {
                $0.server.send(bytes: [0x88, 2, 3, 0xE8], on: 3)
                $0.server.end(3)
            },
        ])
        let row = try outcome.row()
        #expect(row.state == .complete && row.failure == nil && row.upgradedTo == "websocket")
        #expect(
            row.messages.map { "\($0.direction) \($0.kind)" } == [
                "toServer text", "toClient binary", "toServer close", "toClient close",
            ])
        #expect(row.messages[0].content == .bytes(Array("up".utf8)))
        #expect(outcome.client.last == "3 end" && outcome.servers[0].last == "3 end")
    }

    @Test func `data on an extended CONNECT stream is not forwarded before the server's 200`()
        throws
    {
        let outcome = try Self.play([
            Self.connect,
            {
                $0.client.send(body: "ahead", on: 3)
                $0.client.end(3)
            },
            {
                $0.notes = $0.server.got()
                $0.server.respond(3, 200, body: .untilClose)
            },
            {
                $0.server.send(body: "seen", on: 3)
                $0.server.end(3)
            },
        ])
        #expect(outcome.notes == ["3 CONNECT /chat"])
        #expect(outcome.servers == [["3 ahead", "3 end"]])
        #expect(outcome.client == ["3 200", "3 seen", "3 end"])
    }

    @Test func `data sent before the 200 to an extended CONNECT fills only that stream's window`()
        throws
    {
        let outcome = try Self.play([
            Self.connect,
            { $0.client.send(body: String(repeating: "a", count: 1 << 20), on: 3) },
            { $0.client.request(.get, "/other") }, { $0.server.respond(5, 204) },
            { scene in
                let left = scene.client.machine.waitingByteCount(of: StreamID(rawValue: 3))
                scene.notes = ["\(left)"]
                scene.server.respond(3, 403, body: .exactly(2))
                scene.server.send(body: "no", on: 3)
                scene.server.end(3)
            },
        ])
        #expect(outcome.notes == ["\((1 << 20) - (256 << 10))"])
        #expect(outcome.client == ["5 204", "5 end", "3 403", "3 no", "3 end"])
        #expect(outcome.servers[0].prefix(2) == ["3 CONNECT /chat", "5 GET /other"])
        #expect(!outcome.servers[0].contains { $0.hasPrefix("3 a") })
    }

    @Test(arguments: [301, 403, 404, 503])
    func `a response other than 2xx to extended CONNECT is forwarded and recorded with its body`(
        status: Int
    ) throws {
        let outcome = try Self.play([
            Self.connect,
            {
                $0.server.respond(3, status, body: .exactly(4), [("x-a", "b")])
                $0.server.send(body: "body", on: 3)
                $0.server.end(3)
            },
        ])
        #expect(outcome.client == ["3 \(status)", "3 body", "3 end"])
        let row = try outcome.row()
        #expect(row.state == .complete && row.status == status && row.upgradedTo == nil)
        #expect(row.responseBody == Array("body".utf8))
    }

    @Test(arguments: ["connect-udp", "x"])
    func `extended CONNECT for any protocol is forwarded to an HTTP/2 server`(name: String) throws {
        let outcome = try Self.play([
            { $0.client.connect(name) }, Self.agree, { $0.server.send(body: "opaque", on: 3) },
            { $0.client.reset(3, .cancel) },
        ])
        #expect(outcome.client == ["3 200", "3 opaque"])
        #expect(try outcome.row().upgradedTo == name)
    }

    // MARK: Resets and losses

    @Test(arguments: [HTTP2ErrorCode.cancel, .internalError, .noError])
    func `RST_STREAM on an open extended CONNECT stream is passed on with its error code`(
        code: HTTP2ErrorCode
    ) throws {
        let byServer = try Self.play([Self.connect, Self.agree, { $0.server.reset(3, code) }])
        #expect(byServer.client == ["3 200", "3 reset \(code)"])
        #expect(
            try byServer.row().http2?.reset
                == HTTP2Facts.Reset(side: .server, isOurs: false, code: code))
        #expect(try byServer.row().state != .active)
        let byClient = try Self.play([Self.connect, Self.agree, { $0.client.reset(3, code) }])
        #expect(byClient.servers == [["3 CONNECT /chat", "3 reset \(code)"]])
        #expect(
            try byClient.row().http2?.reset
                == HTTP2Facts.Reset(side: .client, isOurs: false, code: code))
    }

    @Test
    func `RST_STREAM before the response to extended CONNECT is passed on with its error code`()
        throws
    {
        let byServer = try Self.play([Self.connect, { $0.server.reset(3, .enhanceYourCalm) }])
        #expect(byServer.client == ["3 reset ENHANCE_YOUR_CALM"])
        let byClient = try Self.play([Self.connect, { $0.client.reset(3, .internalError) }])
        #expect(byClient.servers == [["3 CONNECT /chat", "3 reset INTERNAL_ERROR"]])
        #expect(try byClient.row().state == .failed)
    }

    @Test func `extended CONNECT that gets REFUSED_STREAM is repeated on another connection`()
        throws
    {
        let outcome = try Self.play([
            Self.connect, { $0.server.reset(3, .refusedStream) },
            { $0.connects(takingExtendedConnect: true) },
            { $0.server.respond(1, 200, body: .untilClose) },
        ])
        #expect(outcome.servers.map(\.first) == ["3 CONNECT /chat", "1 CONNECT /chat"])
        #expect(outcome.client == ["3 200"])
    }

    @Test func `an open extended CONNECT stream continues after the server's GOAWAY`() throws {
        let outcome = try Self.play([
            Self.connect, Self.agree, { $0.server.machine.beginDrain() },
            { $0.server.send(body: "still", on: 3) }, { $0.client.send(body: "here", on: 3) },
        ])
        #expect(outcome.client == ["3 200", "3 still"])
        #expect(outcome.servers[0].last == "3 here")
    }

    @Test
    func `losing the server of an extended CONNECT resets the client's stream and is recorded`()
        throws
    {
        let outcome = try Self.play([Self.connect, Self.agree, { $0.book.serverBreaks() }])
        #expect(outcome.client == ["3 200", "3 reset CANCEL"])
        #expect(try outcome.row().failure?.kind == .closedEarly)
        #expect(try outcome.row().failure?.origin == .upstream)
        #expect(try outcome.row().http2?.reset == nil)
    }

    @Test
    func `a client disconnect resets the extended CONNECT stream but keeps the server connection`()
        throws
    {
        let outcome = try Self.play([Self.connect, Self.agree, { $0.book.clientBreaks() }])
        #expect(outcome.servers == [["3 CONNECT /chat", "3 reset CANCEL"]])
        #expect(try outcome.row().failure?.origin == .client)
        #expect(!outcome.did.contains("server closed"))
    }

    @Test func `HEADERS from the server on an open extended CONNECT stream reset only that stream`()
        throws
    {
        let outcome = try Self.play([
            Self.connect, Self.agree,
            { scene in
                scene.server.machine.end(
                    StreamID(rawValue: 3), trailers: HeaderFields([(name: "x", value: "y")]))
            },
            { $0.client.request(.get, "/other") }, { $0.server.respond(5, 204) },
        ])
        #expect(outcome.client == ["3 200", "3 reset PROTOCOL_ERROR", "5 204", "5 end"])
        #expect(
            try outcome.row().http2?.reset
                == HTTP2Facts.Reset(side: .server, isOurs: true, code: .protocolError))
    }

    @Test func `an extended CONNECT stream that is idle for a day is ended on both sides`() throws {
        let outcome = try Self.play([
            Self.connect, Self.agree, { $0.book.passes(seconds: 24 * 3_600) },
        ])
        #expect(outcome.client.prefix(2) == ["3 200", "3 end"])
        #expect(outcome.servers[0].contains("3 end"))
        #expect(try outcome.row().state != .active)
    }

    // MARK: Back-pressure

    @Test
    func `a client that does not read an extended CONNECT stream does not block other streams`()
        throws
    {
        let much = String(repeating: "m", count: 2 << 20)
        let outcome = try Self.play(
            [
                Self.connect, Self.agree,
                { scene in
                    scene.client.machine.setReceivingPaused(StreamID(rawValue: 3), true)
                    scene.server.send(body: much, on: 3)
                },
            ] + Array(repeating: { _ in }, count: 20) + [
                { scene in
                    // What it does not read stays with the server, but for its windows and ours.
                    let left = scene.server.machine.waitingByteCount(of: StreamID(rawValue: 3))
                    scene.notes = ["\(left > 1 << 20)"]
                    _ = scene.client.got()
                    scene.client.request(.get, "/other")
                },
                { $0.server.respond(5, 204) },
                { scene in
                    scene.notes += scene.client.got()
                    scene.client.machine.setReceivingPaused(StreamID(rawValue: 3), false)
                },
            ] + Array(repeating: { _ in }, count: 60) + [{ $0.client.reset(3, .cancel) }])
        #expect(outcome.notes == ["true", "5 204", "5 end"])
        let row = try outcome.row()
        #expect(row.responseByteCount == Int64(much.utf8.count))
        // Each event is a number, a space and a piece; those of its first window are forgotten.
        #expect(
            outcome.client.reduce(0) { $0 + $1.utf8.count - 2 } == much.utf8.count - (256 << 10))
        #expect(outcome.client.allSatisfy { $0.hasPrefix("3 m") })
    }
}
