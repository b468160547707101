import ClientLib
import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// WebSockets that are streams of HTTP/2 (RFC 8441).
@Suite(.timeLimit(.minutes(2)))
struct WebSocketHTTP2Tests {
    private var configuration: WebSocketRequest.Configuration {
        var configuration = WebSocketRequest.Configuration(protocols: ["chat"])
        configuration.httpProtocols = [.http2PriorKnowledge]
        return configuration
    }

    @Test func `WebSockets over HTTP/2 send and receive messages and are recorded`() async throws {
        let server = try WebSocketTestServer(
            isHTTP2: true, .init(fields: { _ in [("sec-websocket-protocol", "chat")] }))
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let sockets = (0..<2).map { _ in
            session.webSocketRequest(server.url + "/room?a=1", configuration: configuration)
        }
        for socket in sockets {
            let text = String(repeating: "again ", count: 50_000)
            var messages = socket.messages(automaticallyCancelling: false).makeAsyncIterator()
            try await socket.send(text)
            #expect(try await messages.next() == .string(text))
            #expect(socket.negotiatedProtocol == "chat")
        }
        for socket in sockets {
            try await socket.close(with: .init(rawValue: 4_000))
            #expect(socket.error == nil)
            #expect(socket.exchanges.first?.upgradedTo == "websocket")
        }
        let head = try #require(server.heads.first)
        #expect(head.connectProtocol == "websocket")
        #expect(head.fields["Sec-WebSocket-Key"] == nil)
        #expect(head.fields["Sec-WebSocket-Version"] == "13")
        #expect(sink.updates.compactMap(\.upgradedTo) == ["websocket", "websocket"])
        #expect(sink.exchanges.allSatisfy { $0.last?.state == .complete })
        #expect(sink.updates.flatMap(\.messages).filter(\.kind.isData).count == 4)
    }

    @Test func `a WebSocket over HTTP/2 fails if the server does not support extended CONNECT`()
        async throws
    {
        let server = try HTTP2TestServer { _ in .text("no") }
        let socket = Session.default.webSocketRequest(
            server.url(), configuration: configuration)
        let error = await #expect(throws: ClientError.self) { try await socket.opened() }
        #expect(error?.kind == .network(.refused))
        #expect(error?.message.contains("extended CONNECT") == true)
        #expect(server.received.isEmpty)
    }
}
