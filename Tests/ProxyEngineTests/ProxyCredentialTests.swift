import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Proxy-Authorization where it is not for this proxy: in trailers, in tunnels, and at reverse
/// listeners. It is neither recorded nor forwarded there.
struct ProxyCredentialTests {
    private static let token = "YWxpY2U6c2U6Y3JldA=="
    private static let fields = "Proxy-Authorization: Basic \(token)\r\nX: y\r\n"
    /// Fields as HPACK literals, which no writer of ours would send.
    private static let block = literal("proxy-authorization", "Basic \(token)") + literal("x", "y")

    private static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)]
            + Array(value.utf8)
    }

    /// The client sends a HEADERS frame on its first stream.
    private static func sendHeaders(
        _ fields: [UInt8], endsStream: Bool, by scene: HTTP2Scene
    ) {
        let header = [0, 0, UInt8(fields.count), 1, endsStream ? 5 : 4, 0, 0, 0, 1]
        scene.book.client.receive(header + fields, pieceByteCount: .max)
    }

    /// `GET http://h/`, and `POST http://h/`.
    private static let get: [UInt8] = [0x82, 0x86, 0x84, 0x41, 1, UInt8(ascii: "h")]
    private static let post: [UInt8] = [0x83, 0x86, 0x84, 0x41, 1, UInt8(ascii: "h")]

    private struct Outcome: Sendable {
        /// What the servers got, and everything that was recorded, as text.
        let servers: String
        let recorded: String
        let rows: [RecordingSink.Recorded]

        init(_ book: Playbook) {
            servers = book.servers.map { WireOutcome.text($0.written) }.joined()
            rows = book.sink.rows
            recorded = book.sink.rows.map { row in
                var trailers: [UInt8] = []
                row.requestTrailers?.write(into: &trailers)
                return WireOutcome.text(
                    (row.requestHead ?? []) + (row.requestHeadSent ?? []) + (row.malformed ?? [])
                        + trailers + row.frames)
            }.joined()
        }

        /// Whether the field was recorded with its value hidden, and not forwarded.
        var isHidden: Bool {
            recorded.lowercased().contains("proxy-authorization")
                && recorded.contains("REDACTED") && !recorded.contains(token)
                && !servers.lowercased().contains("proxy-auth") && !servers.contains(token)
        }
    }

    private func play(
        at listener: ServedListener = ServedListener(),
        _ script: @escaping @Sendable (Playbook) -> Void
    ) throws -> Outcome {
        try Playbook.play(at: listener, script, then: { book, _ in Outcome(book) })
    }

    @Test(arguments: [false, true])
    func `Proxy-Authorization in request trailers is redacted and not forwarded`(isInTunnel: Bool)
        throws
    {
        let outcome = try play { book in
            if isInTunnel {
                book.clientSends("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n")
                book.connects()
            }
            book.clientSends(
                "POST \(isInTunnel ? "" : "http://h")/a HTTP/1.1\r\nHost: h\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\(Self.fields)\r\n")
            if !isInTunnel { book.connects() }
            book.serverSends(Playbook.noContent)
        }
        #expect(outcome.rows.map(\.state) == [.complete])
        #expect(outcome.isHidden, "\(outcome)")
        #expect(outcome.servers.hasSuffix("0\r\nX: y\r\n\r\n"), "\(outcome.servers)")
    }

    @Test func `Proxy-Authorization of a plain request in a tunnel is redacted and not forwarded`()
        throws
    {
        let outcome = try play { book in
            book.clientSends("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n")
            book.connects()
            book.clientSends("GET /a HTTP/1.1\r\nHost: h\r\n\(Self.fields)\r\n")
            book.serverSends(Playbook.noContent)
        }
        #expect(outcome.rows.map(\.url) == ["http://h/a"])
        #expect(outcome.isHidden, "\(outcome)")
        #expect(outcome.servers.contains("X: y\r\n"))
    }

    @Test(arguments: ["GET /a HTTP/1.1\r\nHost : h\r\n", "GET /a HTTP/1.1\r\n"])
    func `Proxy-Authorization in an invalid or incomplete head in a tunnel is redacted`(
        start: String
    ) throws {
        let outcome = try play { book in
            book.clientSends("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n")
            book.connects()
            book.clientSends(start + Self.fields)
            book.clientEnds()
        }
        #expect(outcome.rows.map(\.state) == [.failed])
        #expect(outcome.isHidden, "\(outcome)")
    }

    @Test func `Proxy-Authorization at a reverse listener is redacted and not forwarded`() throws {
        let outcome = try play(at: ServedListener(name: "r", mode: ReverseTests.mode())) { book in
            book.clientSends("GET /a HTTP/1.1\r\nHost: h\r\n\(Self.fields)\r\n")
            book.connects()
            book.serverSends(Playbook.noContent)
        }
        #expect(outcome.rows.map(\.state) == [.complete])
        #expect(outcome.isHidden, "\(outcome)")
    }

    @Test
    func `an NTLM scheme in Proxy-Authorization stays readable when its credentials are redacted`()
        throws
    {
        let outcome = try play { book in
            book.clientSends("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n")
            book.connects()
            book.clientSends(
                "GET /a HTTP/1.1\r\nHost: h\r\nProxy-Authorization: NTLM \(Self.token)\r\n\r\n")
            book.serverSends(Playbook.noContent)
        }
        #expect(outcome.recorded.contains("Proxy-Authorization: NTLM REDACTED\r\n"))
        #expect(outcome.isHidden, "\(outcome)")
    }

    // MARK: HTTP/2

    /// A client of HTTP/2, in a tunnel or not, whose frames are recorded with their bytes.
    private func playHTTP2(
        isInTunnel: Bool, _ steps: [HTTP2Scene.Step]
    ) throws -> (outcome: Outcome, fields: [String], got: [String]) {
        var configuration = EngineConfiguration()
        configuration.http2Frames = .bytes(max: 10_000)
        let begin: @Sendable (Playbook) -> HTTP2Scene = { book in
            isInTunnel ? HTTP2Scene(tunnelIn: book) : HTTP2Scene(book)
        }
        return try HTTP2Scene.play(configuration: configuration, begin: begin, steps) {
            (outcome: Outcome($0.book), fields: $0.server.requestFields, got: $0.server.got())
        }
    }

    @Test(arguments: [false, true])
    func `Proxy-Authorization in an HTTP/2 head is redacted, and frames are recorded without bytes`(
        isInTunnel: Bool
    ) throws {
        let connect: HTTP2Scene.Step = { if !isInTunnel { $0.connects() } }
        let (outcome, fields, _) = try playHTTP2(
            isInTunnel: isInTunnel,
            [
                { Self.sendHeaders(Self.get + Self.block, endsStream: true, by: $0) }, connect,
                { $0.server.respond(1, 204) },
            ])
        #expect(outcome.rows.map(\.state) == [.complete])
        #expect(outcome.isHidden, "\(outcome)")
        #expect(fields.contains("x: y"))
        #expect(!fields.contains { $0.hasPrefix("proxy-") }, "\(fields)")
        let frames = FrameTimeline.records(outcome.rows[0].frames)
        #expect(!frames.isEmpty && frames.allSatisfy(\.bytes.isEmpty))
    }

    @Test(arguments: [false, true])
    func `Proxy-Authorization in HTTP/2 trailers is redacted; frames are recorded without bytes`(
        isInTunnel: Bool
    ) throws {
        let connect: HTTP2Scene.Step = { if !isInTunnel { $0.connects() } }
        let (outcome, _, got) = try playHTTP2(
            isInTunnel: isInTunnel,
            [
                { Self.sendHeaders(Self.post, endsStream: false, by: $0) }, connect,
                { Self.sendHeaders(Self.block, endsStream: true, by: $0) },
                { $0.server.respond(1, 204) },
            ])
        #expect(outcome.rows.map(\.state) == [.complete])
        #expect(outcome.isHidden, "\(outcome)")
        #expect(got.contains { $0.contains("trailers") && $0.contains("\"x\"") }, "\(got)")
        #expect(!got.contains { $0.lowercased().contains("proxy-auth") }, "\(got)")
        let frames = FrameTimeline.records(outcome.rows[0].frames)
        #expect(!frames.isEmpty && frames.allSatisfy(\.bytes.isEmpty))
    }
}
