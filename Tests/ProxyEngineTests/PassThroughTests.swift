import HTTPModel
import Testing

@testable import ProxyEngine

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
    func `it is relayed as it is, and the record says whom it was for`(unread: String) throws {
        let hello = TunnelProtocolTests.hello("h.example")
        let (sent, client, rows) = try relayed(unread: unread)
        #expect(sent == hello)
        #expect(client?.security?.serverName == "h.example")
        #expect(client?.security?.version == nil)
        #expect(rows.map(\.state) == [.tunnel])
        #expect(rows.map(\.requestByteCount) == [Int64(hello.count)])
        #expect(rows.map(\.requestBody) == [[]])
    }

    @Test func `what is for others is not relayed`() throws {
        let (sent, client, _) = try relayed(unread: "other.example")
        #expect(sent.isEmpty)
        #expect(client?.security?.serverName == nil)
    }
}
