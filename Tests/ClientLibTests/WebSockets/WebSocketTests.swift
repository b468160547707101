import ClientLib
import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@Suite(.timeLimit(.minutes(2)))
struct WebSocketTests {
    @Test func `WebSocket messages are sent and received, and a normal close is not an error`()
        async throws
    {
        let server = try WebSocketTestServer()
        let session = Session()
        defer { session.shutdown() }
        let socket = session.webSocketRequest(server.url + "/chat?room=1")
        var messages = socket.messages.makeAsyncIterator()
        try await socket.send("hello")
        #expect(try await messages.next() == .string("hello"))
        try await socket.send([0, 255])
        #expect(try await messages.next() == .data([0, 255]))
        try await socket.send(["a": 1])
        #expect(try await messages.next() == .string(#"{"a":1}"#))
        try await socket.close(with: .normalClosure, reason: "done")
        #expect(try await messages.next() == nil)
        #expect(socket.closeCode == .normalClosure)
        #expect(socket.isFinished)
        #expect(socket.error == nil)
        let close = try #require(server.frames.last)
        #expect(close.opcode == .close)
        #expect(try WebSocketClosing(close.payload.span).reason == "done")
        let head = try #require(server.heads.first)
        #expect(head.targetText == "/chat?room=1")
        #expect(head.fields["Upgrade"] == "websocket")
        #expect(head.fields["Sec-WebSocket-Version"] == "13")
    }

    @Test func `WebSocket events report the opening, the messages and the end in order`()
        async throws
    {
        let server = try WebSocketTestServer(
            .init(
                fields: { _ in [("Sec-WebSocket-Protocol", "v2")] },
                first: [.text("in the same packet"), .close(1_001, "bye")]))
        let socket = Session.default.webSocketRequest(server.url, protocols: ["v1", "v2"])
        var lines: [String] = []
        for await event in socket.events {
            switch event.kind {
            case .connected(let name): lines.append("connected \(name ?? "-")")
            case .receivedMessage(let message): lines.append(message.string ?? "-")
            case .serializerFailed: break
            case .disconnected(let code, let reason): lines.append("\(code.rawValue) \(reason)")
            case .completed(let completion):
                lines.append("completed \(completion.response?.status ?? 0)")
                #expect(completion.error == nil)
            }
        }
        #expect(
            lines == ["connected v2", "in the same packet", "1001 bye", "completed 101"])
        #expect(server.heads.first?.fields["Sec-WebSocket-Protocol"] == "v1, v2")
        #expect(socket.negotiatedProtocol == "v2")
        #expect(socket.closeReason == "bye")
    }

    @Test
    func `a WebSocket sends and reads Codable values as JSON; reading a non-JSON message fails`()
        async throws
    {
        struct Note: Codable, Sendable, Equatable { let text: String }
        let server = try WebSocketTestServer()
        let socket = Session.default.webSocketRequest(server.url)
        var notes = socket.messages(of: Note.self).makeAsyncIterator()
        try await socket.send(Note(text: "a"))
        #expect(try await notes.next() == Note(text: "a"))
        try await socket.send("no JSON")
        let error = await #expect(throws: ClientError.self) { try await notes.next() }
        #expect(error?.kind == .responseSerializationFailed(.decodingFailed))
        try await socket.send(Note(text: "b"))
        #expect(try await notes.next() == Note(text: "b"))
        socket.cancel()
    }

    @Test func `WebSocket messages that arrive before anyone reads are kept for the first reader`()
        async throws
    {
        let server = try WebSocketTestServer(.init(first: [.text("a"), .text("b")]))
        let socket = Session.default.webSocketRequest(server.url).resume()
        try await socket.opened()
        try await socket.sendPing()
        var seen: [String?] = []
        for try await message in socket.messages {
            seen.append(message.string)
            if seen.count == 2 { break }
        }
        #expect(seen == ["a", "b"])
        #expect(socket.isCancelled)
    }

    @Test func `two readers of a WebSocket both get all its messages`() async throws {
        let server = try WebSocketTestServer()
        let socket = Session.default.webSocketRequest(server.url)
        let (first, second) = (socket.messages, socket.messages)
        let texts = ["x", "y", "z"]
        for text in texts { try await socket.send(text) }
        for messages in [first, second] {
            var iterator = messages.makeAsyncIterator()
            for text in texts { #expect(try await iterator.next() == .string(text)) }
        }
        socket.cancel()
    }

    @Test func `a WebSocket answers the server's pings and measures the latency of its own pings`()
        async throws
    {
        let server = try WebSocketTestServer(.init(first: [.frame(.ping, [1, 2])]))
        let socket = Session.default.webSocketRequest(server.url)
        let latency = try await socket.sendPing()
        #expect(latency > .zero)
        for await frame in server.arriving where frame.opcode == .pong {
            #expect(frame.payload == [1, 2])
            break
        }
        socket.cancel()
    }

    @Test func `a cancelled WebSocket closes with 1001, and later sends fail`() async throws {
        let server = try WebSocketTestServer()
        let socket = Session.default.webSocketRequest(server.url)
        try await socket.opened()
        socket.cancel()
        for await frame in server.arriving where frame.opcode == .close {
            #expect(try WebSocketClosing(frame.payload.span).code == 1_001)
            break
        }
        for await event in socket.events {
            if let end = event.completion {
                #expect(end.error?.kind == .explicitlyCancelled)
            }
        }
        let error = await #expect(throws: ClientError.self) { try await socket.send("late") }
        #expect(error?.kind == .webSocketFailed(.notOpen))
    }

    @Test func `shutting down a session ends its WebSockets with the error sessionInvalidated`()
        async throws
    {
        let server = try WebSocketTestServer()
        let session = Session()
        let socket = session.webSocketRequest(server.url)
        try await socket.opened()
        session.shutdown()
        let error = await #expect(throws: ClientError.self) {
            for try await _ in socket.messages {}
        }
        #expect(error?.kind == .sessionInvalidated)
        for await frame in server.arriving where frame.opcode == .close { break }
    }

    @Test func `WebSocket messages sent concurrently by many tasks are not interleaved`()
        async throws
    {
        let server = try WebSocketTestServer(.init(react: { _ in [] }))
        let socket = Session.default.webSocketRequest(server.url)
        let texts = (0..<100).map { String(repeating: "\($0) ", count: 3_000) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for text in texts { group.addTask { try await socket.send(text) } }
            try await group.waitForAll()
        }
        var seen: Set<String> = []
        for await frame in server.arriving {
            seen.insert(frame.text)
            if seen.count == texts.count { break }
        }
        #expect(seen == Set(texts))
        socket.cancel()
    }

    @Test func `open WebSockets do not count towards the limit of connections per host`()
        async throws
    {
        let server = try WebSocketTestServer(
            .init(answer: { head in
                head.targetText == "/plain"
                    ? Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8) : nil
            }))
        var configuration = SessionConfiguration()
        configuration.maximumConnectionsPerHost = 1
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        let sockets = (0..<3).map { _ in session.webSocketRequest(server.url) }
        for socket in sockets { try await socket.opened() }
        let text = try await session.request("http://127.0.0.1:\(server.port)/plain")
            .serializingString().value
        #expect(text == "ok")
    }
}
