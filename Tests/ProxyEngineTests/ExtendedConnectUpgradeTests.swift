import Foundation
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTLS
import Testing

@testable import ProxydProxyEngine

/// Extended CONNECT of HTTP/2 clients to servers of HTTP/1.1 (RFC 8441 §5): it becomes an Upgrade.
struct ExtendedConnectUpgradeTests {
    private struct Outcome: Sendable {
        var client: [String]
        var rows: [RecordingSink.Recorded]
        var isOffered: Bool
        var written: String
        var servers: [ScriptedStream.Ending?]
        var notes: [String]

        init(_ scene: HTTP2Scene) {
            client = scene.client.got()
            rows = scene.book.sink.rows
            isOffered = scene.client.isOfferedExtendedConnect
            written =
                scene.book.servers.last.map { String(decoding: $0.written, as: UTF8.self) } ?? ""
            servers = scene.book.servers.map(\.ending)
            notes = scene.notes
        }

        /// The exchange that asks for the WebSocket.
        func row() throws -> RecordingSink.Recorded {
            try #require(rows.first { $0.method == "CONNECT" })
        }
    }

    private typealias Step = HTTP2Scene.Step

    /// A client whose server turned out to speak HTTP/1.1, with a connection of its own that asks
    /// for a WebSocket on stream 3.
    private static let asked: [Step] = [
        { $0.client.request(scheme: "https") }, { $0.book.connects() },
        { $0.book.serverSends("HTTP/1.1 204 No Content\r\n\r\n") },
        { scene in
            _ = scene.client.got()
            scene.client.connect(
                scheme: "https",
                fields: [
                    ("sec-websocket-version", "13"), ("sec-websocket-extensions", "x-offered"),
                ])
        },
    ]

    private static func play(_ steps: [Step], asked: [Step] = asked) throws -> Outcome {
        try HTTP2Scene.play(asked + steps, end: Outcome.init)
    }

    /// What the server was asked last.
    private static func request(_ scene: HTTP2Scene) -> String {
        let written = String(decoding: scene.book.servers.last?.written ?? [], as: UTF8.self)
        return written.components(separatedBy: "\r\n\r\n").dropLast().last ?? ""
    }

    /// The server switches, with the proof for a key; nil for the one that it was sent.
    private static func switches(
        key: String? = nil, upgrade: String = "websocket", then early: String = ""
    ) -> Step {
        { scene in
            let line = request(scene).components(separatedBy: "\r\n").first {
                $0.hasPrefix("Sec-WebSocket-Key: ")
            }
            let sent = line?.dropFirst("Sec-WebSocket-Key: ".count).description ?? ""
            let input = WebSocketHandshake.acceptInput(key: key ?? sent)
            let proof = Data(DigestAlgorithm.sha1.digest(of: input) ?? []).base64EncodedString()
            scene.book.serverSends(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: \(upgrade)\r\n"
                    + "Connection: Upgrade\r\nSec-WebSocket-Accept: \(proof)\r\n"
                    + "Sec-WebSocket-Extensions: x-taken\r\n\r\n\(early)")
        }
    }

    @Test
    func `extended CONNECT is offered to a client once the server is known to speak HTTP/1.1`()
        throws
    {
        let before = try HTTP2Scene.play(
            [{ $0.client.request(scheme: "https") }], end: Outcome.init)
        #expect(!before.isOffered)
        #expect(try Self.play([]).isOffered)
    }

    @Test func `extended CONNECT is sent on as an Upgrade request with a new Sec-WebSocket-Key`()
        throws
    {
        let outcome = try Self.play([])
        let request = outcome.written.components(separatedBy: "\r\n\r\n").dropLast().last ?? ""
        let lines = request.components(separatedBy: "\r\n")
        #expect(
            lines.filter { !$0.hasPrefix("Sec-WebSocket-Key: ") } == [
                "GET /chat HTTP/1.1", "Host: h", "sec-websocket-version: 13",
                "sec-websocket-extensions: x-offered", "Upgrade: websocket",
                "Connection: Upgrade",
            ])
        let key = lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19)
        #expect(Data(base64Encoded: String(key ?? ""))?.count == 16)
        let other = try Self.play([]).written
        #expect(!other.contains("Sec-WebSocket-Key: \(key ?? "none")\r\n"))
    }

    @Test
    func `a server's 101 reaches the extended CONNECT client as a 200, and bytes flow both ways`()
        throws
    {
        // A frame of text each way, the server's behind its head.
        let outcome = try Self.play([
            Self.switches(then: "\u{1}\u{5}early"),
            { $0.client.send(bytes: [1, 0x82, 0, 0, 0, 0, 0x75, 0x70], on: 3) },
            { $0.book.serverSends("\u{0}\u{4}down") }, { $0.client.end(3) },
            { $0.book.serverEnds() },
        ])
        #expect(outcome.client == ["3 200", "3 \u{1}\u{5}early", "3 \u{0}\u{4}down", "3 end"])
        #expect(outcome.written.hasSuffix("up"))
        let row = try outcome.row()
        #expect(row.method == "CONNECT" && row.url == "https://h/chat")
        #expect(row.status == 101 && row.upgradedTo == "websocket")
        #expect(row.http2?.clientStream?.rawValue == 3 && row.http2?.serverStream == nil)
        #expect(row.http2?.serverVersion == .http11)
        #expect(row.requestHeadSent == nil && row.state != .active)
        #expect(row.requestByteCount == 8 && row.responseByteCount == 13)
    }

    @Test func `the 200 made from a 101 has the WebSocket extensions but no Sec-WebSocket-Accept`()
        throws
    {
        let fields = try HTTP2Scene.play(
            Self.asked + [Self.switches()], end: { $0.client.responseFields })
        #expect(fields == ["sec-websocket-extensions: x-taken"])
    }

    @Test func `an extended CONNECT client gets a 502 if the 101 has a wrong Sec-WebSocket-Accept`()
        throws
    {
        let outcome = try Self.play([Self.switches(key: "dGhlIHNhbXBsZSBub25jZQ==")])
        #expect(outcome.client.first == "3 502")
        #expect(outcome.servers.last == .aborted)
        let row = try outcome.row()
        #expect(row.status == 502 && row.state == .failed && row.upgradedTo == nil)
        #expect(row.failure?.kind == .malformedResponse)
        #expect(row.failure?.message.contains("Sec-WebSocket-Accept") == true)
        let refused = String(decoding: row.fault?.refusal?.bytes ?? [], as: UTF8.self)
        #expect(refused.hasPrefix("HTTP/1.1 101 "))
    }

    @Test(arguments: ["h2c", "websocket, x", "x"])
    func `an extended CONNECT client gets a 502 if the 101 is not for the websocket protocol`(
        upgrade: String
    )
        throws
    {
        let outcome = try Self.play([Self.switches(upgrade: upgrade)])
        #expect(outcome.client.first == "3 502")
        #expect(try outcome.row().upgradedTo == nil)
    }

    @Test func `an extended CONNECT client gets a 502 if the server sends a 200 instead of a 101`()
        throws
    {
        let outcome = try Self.play([
            { $0.book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") }
        ])
        #expect(outcome.client.first == "3 502")
        #expect(try outcome.row().failure?.message.contains("without switching protocols") == true)
    }

    @Test
    func `a 403 to Upgrade reaches the extended CONNECT client; the server connection stays open`()
        throws
    {
        let outcome = try Self.play([
            { $0.book.serverSends("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno") }
        ])
        #expect(outcome.client == ["3 403", "3 no", "3 end"])
        #expect(try outcome.row().state == .complete && outcome.servers.last == .some(nil))
    }

    @Test
    func `extended CONNECT for protocols other than websocket gets a 501 if the server is HTTP/1`()
        throws
    {
        let outcome = try Self.play(
            [],
            asked: Array(Self.asked.dropLast()) + [
                { scene in
                    _ = scene.client.got()
                    scene.client.connect("connect-udp", scheme: "https")
                }
            ])
        #expect(outcome.client.first == "3 501")
        #expect(try outcome.row().failure?.message.contains("websocket is the only") == true)
        #expect(!outcome.written.contains("connect-udp"))
        #expect(outcome.servers == [nil])
    }

    @Test
    func `resetting an HTTP/2 WebSocket stream ends the HTTP/1 server connection, and vice versa`()
        throws
    {
        let byClient = try Self.play([Self.switches(), { $0.client.reset(3, .cancel) }])
        #expect(byClient.servers.last == .aborted)
        #expect(try byClient.row().http2?.reset?.side == .client)
        let byServer = try Self.play([Self.switches(), { $0.book.serverBreaks() }])
        #expect(byServer.client == ["3 200", "3 reset CANCEL"])
    }

    @Test
    func `data on an extended CONNECT stream is not sent to an HTTP/1 server before its 101`()
        throws
    {
        let outcome = try Self.play([
            { $0.client.send(body: "ahead", on: 3) },
            { $0.notes = [String(decoding: $0.book.servers[0].written, as: UTF8.self)] },
            Self.switches(),
        ])
        #expect(outcome.notes.count == 1 && !outcome.notes[0].contains("ahead"))
        #expect(outcome.written.hasSuffix("\r\n\r\nahead"))
    }
}
