import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// TLS that is not to be read: the name of either CONNECT or the hello may say so.
struct PassThroughTests {
    private static let connect = "CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n"

    /// What the server gets of a hello to `h.example` in a tunnel to `h`, and what is recorded.
    private func relayed(
        unread: String
    ) throws -> (sent: [UInt8], client: ConnectionRecord?, rows: [RecordingSink.Recorded]) {
        var configuration = EngineConfiguration()
        configuration.interception = { host, port in
            host == unread && port == 7 ? .passThrough : .intercept
        }
        return try Playbook.play(configuration: configuration) { book in
            book.clientSends(Self.connect)
            let server = book.connects()
            book.clientSends(TunnelProtocolTests.hello("h.example"))
            book.clientEnds()
            book.serverEnds()
            let client = book.sink.connections.first { $0.side == .client }
            return (server.written, client, book.sink.rows)
        }
    }

    @Test(arguments: ["h", "h.example"])
    func `a ClientHello to a passed-through host is relayed, and its server name is recorded`(
        unread: String
    ) throws {
        let hello = TunnelProtocolTests.hello("h.example")
        let (sent, client, rows) = try relayed(unread: unread)
        #expect(sent == hello)
        #expect(client?.security?.serverName == "h.example")
        #expect(client?.security?.version == nil)
        #expect(rows.map(\.state) == [.tunnel])
        #expect(rows.map(\.requestByteCount) == [Int64(hello.count)])
        #expect(rows.map(\.requestBody) == [[]])
    }

    @Test func `a ClientHello to a host that is not passed through is not relayed`() throws {
        let (sent, client, _) = try relayed(unread: "other.example")
        #expect(sent.isEmpty)
        #expect(client?.security?.serverName == nil)
    }

    /// What a client does with its hello in a tunnel, and what comes of it.
    private func read(
        _ bytes: [UInt8]
    ) throws -> (sent: [UInt8], did: [String], rows: [RecordingSink.Recorded]) {
        try Playbook.play { book in
            book.clientSends(Self.connect)
            let server = book.connects()
            _ = book.did()
            book.clientSends(bytes)
            return (server.written, book.did())
        } then: { book, found in
            (found.0, found.1 + book.did(), book.sink.rows)
        }
    }

    private static let empty: [UInt8] = [22, 3, 1, 0, 0]

    @Test func `a ClientHello after an empty TLS record is intercepted rather than relayed`() throws
    {
        let (sent, _, rows) = try read(Self.empty + TunnelProtocolTests.hello("h.example"))
        #expect(sent.isEmpty)
        // The hello is one that no handshake can come of.
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.first?.failure?.kind == .tlsHandshake)
    }

    private static let unacceptable: [([UInt8], String)] = [
        ([22, 3, 1, 0, 4, 1, 2, 1, 0x45], "is longer than is accepted"),
        (Array(repeatElement(empty, count: 40).joined()), "too many empty TLS records"),
        ([22, 3, 1, 0, 8, 1, 0, 0, 4, 3, 3, 0, 0], "TLS with the client failed"),
    ]

    @Test(arguments: unacceptable)
    func `a ClientHello that OpenSSL would not accept is refused, and the reason is recorded`(
        bytes: [UInt8], words: String
    ) throws {
        let (sent, _, rows) = try read(bytes)
        #expect(sent.isEmpty)
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.first?.failure?.origin == .client)
        #expect(rows.first?.failure?.message.contains(words) == true, "\(rows)")
    }

    @Test func `a huge ClientHello in one-byte TLS records is not relayed`() throws {
        typealias Scene = (book: Playbook, server: ScriptedStream)
        let message: [UInt8] = [1, 2, 0, 0] + Array(repeating: 3, count: 60_000)
        let bytes: [UInt8] = message.flatMap { [22, 3, 1, 0, 1, $0] }
        // The handshake waits for the rest of the hello until the client ends.
        let steps: [@Sendable (Scene) -> Void] = [
            { $0.book.clientSends(bytes) }, { $0.book.clientEnds() },
        ]
        let (sent, rows) = try Playbook.play(
            begin: { (book: Playbook) -> Scene in
                book.clientSends(Self.connect)
                return (book, book.connects())
            }, steps: steps, end: { ($0.server.written, $0.book.sink.rows) })
        #expect(sent.isEmpty)
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.first?.failure?.kind == .tlsHandshake, "\(rows)")
    }
}
