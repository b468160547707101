import ClientLib
import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@Suite(.timeLimit(.minutes(2)))
struct WebSocketRecordingTests {
    private func text(_ message: MessageRecord) -> String {
        guard case .bytes(let bytes) = message.content else { return "?" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `messages of an open WebSocket are recorded, and closing it completes the exchange`()
        async throws
    {
        let server = try WebSocketTestServer()
        let sink = MemoryExchangeSink()
        let (news, tell) = AsyncStream.makeStream(of: ExchangeUpdate.self)
        sink.watch { tell.yield($0) }
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let socket = session.webSocketRequest(server.url)
        try await socket.send("one")
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .string("one"))
        // The socket stays open until both messages were told.
        var early = 0
        for await update in news {
            #expect(update.state == .active)
            early += update.messages.count
            if early == 2 { break }
        }
        try await socket.close()
        let recorded = try #require(sink.exchanges.first)
        #expect(recorded.last?.state == .complete)
        #expect(recorded.last?.failure == nil)
        #expect(recorded.responseHead?.status == 101)
        #expect(recorded.responseBody.isEmpty)
        #expect(sink.updates.compactMap(\.upgradedTo) == ["websocket"])
        let all = sink.updates.flatMap(\.messages)
        #expect(all.map(\.position) == [0, 1, 2, 3])
        #expect(all.map(\.kind) == [.text, .text, .close, .close])
        #expect(all.map(\.direction) == [.toServer, .toClient, .toServer, .toClient])
        #expect(all.prefix(2).map(text) == ["one", "one"])
        #expect(all[0].offsetNs > 0 && all[0].offsetNs <= all[3].offsetNs)
    }

    @Test func `a WebSocket that ends without a close frame is recorded as a failure`() async throws
    {
        let server = try WebSocketTestServer(.init(first: [.text("a"), .end]))
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        await #expect(throws: ClientError.self) {
            for try await _ in session.webSocketRequest(server.url).messages {}
        }
        let last = try #require(sink.exchanges.first?.last)
        #expect(last.state == .failed)
        #expect(last.failure?.kind == .closedEarly)
    }

    @Test func `a WebSocket protocol violation is recorded with the offending frame`() async throws
    {
        let server = try WebSocketTestServer(.init(first: [.raw([0xF1, 0x01, 0x61])]))
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        await #expect(throws: ClientError.self) {
            for try await _ in session.webSocketRequest(server.url).messages {}
        }
        let messages = sink.updates.flatMap(\.messages)
        #expect(messages.contains { $0.direction == .toClient && $0.problem != nil })
        #expect(messages.contains { $0.direction == .toServer && $0.kind == .close })
    }

    @Test func `a rejected WebSocket handshake is recorded as an ordinary exchange`() async throws {
        let server = try WebSocketTestServer(
            .init(answer: { _ in Array("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno".utf8) }))
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        await #expect(throws: ClientError.self) {
            try await session.webSocketRequest(server.url).opened()
        }
        let recorded = try #require(sink.exchanges.first)
        #expect(recorded.last?.state == .complete)
        #expect(recorded.responseBody == Array("no".utf8))
        #expect(sink.updates.allSatisfy { $0.upgradedTo == nil })
    }
}
