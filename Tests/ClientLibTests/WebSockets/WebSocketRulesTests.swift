import ClientLib
import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// What servers may not do, and what of it reaches a program.
@Suite(.timeLimit(.minutes(2)))
struct WebSocketRulesTests {
    private typealias Server = WebSocketTestServer

    /// The error that a server's bytes lead to, and the code that the server is told.
    private func outcome(
        _ steps: [WebSocketTestServer.Step], limit: Int = 1 << 20,
        fields: [(String, String)] = []
    ) async throws -> (ClientError?, UInt16?) {
        let server = try Server(.init(fields: { _ in fields }, first: steps))
        let socket = Session.default.webSocketRequest(
            server.url, configuration: .maximumMessageSize(limit))
        var error: ClientError?
        for await event in socket.events { error = event.completion?.error ?? error }
        for await frame in server.arriving where frame.opcode == .close {
            return (error, try WebSocketClosing(frame.payload.span).code)
        }
        return (error, nil)
    }

    @Test
    func `a WebSocket message above the size limit is rejected once its frame header is read`()
        async throws
    {
        var header: [UInt8] = []
        WebSocketFrameHeader(opcode: .binary, payloadByteCount: 1 << 62).write(into: &header)
        let (error, code) = try await outcome([.raw(header)])
        #expect(error?.kind == .messageTooLarge(limit: 1 << 20))
        #expect(code == 1_009)
    }

    @Test func `the WebSocket size limit applies to all fragments of a message together`()
        async throws
    {
        var bytes: [UInt8] = []
        for index in 0..<11 {
            let piece = [UInt8](repeating: 7, count: 10)
            WebSocketFrameWriter.write(
                index == 0 ? .binary : .continuation, piece.span, isFinal: false,
                maskingKey: nil, into: &bytes)
        }
        let (error, code) = try await outcome([.raw(bytes)], limit: 100)
        #expect(error?.kind == .messageTooLarge(limit: 100))
        #expect(code == 1_009)
    }

    @Test func `a WebSocket text message that is not UTF-8 closes the connection with 1007`()
        async throws
    {
        let (error, code) = try await outcome([.frame(.text, [0x61, 0xFF])])
        #expect(error?.kind == .webSocketFailed(.invalidText))
        #expect(code == 1_007)
    }

    /// Frames that no server may send, and a word of what is wrong with them.
    private static let broken: [(frames: [UInt8], word: String)] = [
        ([0xF1, 0x00], "reserved bit"),
        ([0xC1, 0x00], "reserved bit"),
        ([0x81, 0x81, 1, 2, 3, 4, 0x60], "mask"),
        ([0x83, 0x00], "opcode"),
        ([0x8B, 0x00], "opcode"),
        ([0x80, 0x00], "continu"),
        ([0x01, 0x01, 0x61, 0x81, 0x01, 0x62], "previous message"),
        ([0x09, 0x00], "control"),
        ([0x89, 0x7E, 0x00, 0x7E], "control"),
        ([0x88, 0x01, 0x03], "close"),
        ([0x88, 0x02, 0x03, 0xED], "close"),
        ([0x82, 0x7F, 0xFF, 0, 0, 0, 0, 0, 0, 0], "length"),
    ]

    @Test(arguments: 0..<12)
    func `a WebSocket protocol violation closes the connection with 1002 and is reported`(
        index: Int
    ) async throws {
        let (frames, word) = Self.broken[index]
        let (error, code) = try await outcome([.raw(frames)])
        guard case .webSocketFailed(.protocolError(let rule))? = error?.kind else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(rule.contains(word))
        #expect(code == 1_002)
    }

    @Test
    func `WebSocket messages are compressed; the size limit applies to the decompressed message`()
        async throws
    {
        let fields = [("Sec-WebSocket-Extensions", "permessage-deflate")]
        let deflater = try MessageDeflater(windowBits: 15, keepsContext: true)
        let text = String(repeating: "again ", count: 1_000)
        let compressed = try deflater.deflate(Array(text.utf8).span)
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(
            .text, compressed.span, isCompressed: true, maskingKey: nil, into: &bytes)
        let server = try Server(.init(fields: { _ in fields }, first: [.raw(bytes)]))
        let socket = Session.default.webSocketRequest(server.url)
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .string(text))
        #expect(socket.isCompressed)
        // What is sent is compressed, too.
        try await socket.send(text)
        for await frame in server.arriving where frame.opcode == .text {
            #expect(frame.isCompressed)
            #expect(frame.payload.count < text.utf8.count / 10)
            break
        }
        socket.cancel()
        let (error, code) = try await outcome([.raw(bytes)], limit: 1_000, fields: fields)
        #expect(error?.kind == .messageTooLarge(limit: 1_000))
        #expect(code == 1_009)
    }

    @Test
    func `reading a WebSocket fails if it ends without a close frame or with an error close code`()
        async throws
    {
        let server = try Server(.init(first: [.text("a"), .end]))
        let socket = Session.default.webSocketRequest(server.url)
        let error = await #expect(throws: ClientError.self) {
            for try await _ in socket.messages {}
        }
        #expect(error?.kind == .webSocketFailed(.closedAbnormally))
        let other = try Server(.init(first: [.close(4_001, "why")]))
        let refused = Session.default.webSocketRequest(other.url)
        let reason = await #expect(throws: ClientError.self) {
            for try await _ in refused.messages {}
        }
        #expect(reason?.kind == .webSocketFailed(.closed(.init(rawValue: 4_001))))
        #expect(refused.closeReason == "why")
    }

    /// Waits until a count no longer changes, while the threads of both sides turn often enough.
    private func rest(
        of other: WebSocketTestServer, _ count: () -> Int
    ) async throws {
        let witness = Session.default.webSocketRequest(other.url)
        defer { witness.cancel() }
        var before = -1
        while before != count() {
            before = count()
            for _ in 0..<300 { try await witness.sendPing() }
        }
    }

    @Test func `a slow reader of WebSocket messages makes the server pause and loses nothing`()
        async throws
    {
        let payload = [UInt8](repeating: 1, count: 32 << 10)
        let count = 1_000
        let server = try Server(
            .init(react: { frame in
                frame.opcode == .text
                    ? Array(repeating: .frame(.binary, payload), count: count)
                    : Server.Manner.echo(frame)
            }))
        let other = try WebSocketTestServer()
        let socket = Session.default.webSocketRequest(server.url)
        try await socket.send("go")
        var messages = socket.messages.makeAsyncIterator()
        var byteCount = try #require(try await messages.next()).byteCount
        try await rest(of: other) { server.handedByteCount }
        #expect(server.handedByteCount < count * payload.count)
        for _ in 1..<count { byteCount += try await messages.next()?.byteCount ?? 0 }
        #expect(byteCount == count * payload.count)
        socket.cancel()
    }

    @Test func `sending over a WebSocket waits while the server does not read`() async throws {
        let server = try Server(.init(reads: false))
        let socket = Session.default.webSocketRequest(server.url)
        let sent = Collector<Int>()
        let sending = Task {
            for index in 0..<10_000 {
                try await socket.send([UInt8](repeating: 0, count: 64 << 10))
                sent.add(index)
            }
        }
        let other = try WebSocketTestServer()
        try await rest(of: other) { sent.count }
        #expect(sent.count < 10_000)
        socket.cancel()
        await #expect(throws: ClientError.self) { try await sending.value }
    }

    @Test func `a WebSocket fails if the server does not answer a ping, and stays open otherwise`()
        async throws
    {
        for isAnswering in [true, false] {
            let clock = ManualClock()
            let server = try Server(
                .init(react: { frame in
                    frame.opcode == .ping && !isAnswering ? [] : Server.Manner.echo(frame)
                }))
            var configuration = WebSocketRequest.Configuration.pingInterval(.seconds(20))
            configuration.clock = clock
            let socket = Session.default.webSocketRequest(
                server.url, configuration: configuration)
            try await socket.opened()
            var sleeps = clock.arrivals.makeAsyncIterator()
            #expect(await sleeps.next() == .seconds(20))
            clock.advance(by: .seconds(20))
            #expect(await sleeps.next() == .seconds(20))
            // Behind the automatic ping and its answer.
            if isAnswering { try await socket.sendPing() }
            clock.advance(by: .seconds(20))
            if isAnswering {
                #expect(await sleeps.next() == .seconds(20))
                #expect(socket.isResumed)
                socket.cancel()
            } else {
                let error = await #expect(throws: ClientError.self) {
                    for try await _ in socket.messages {}
                }
                #expect(error?.kind == .webSocketFailed(.pingTimedOut))
            }
        }
    }

    @Test func `closing a WebSocket times out if the server does not answer the close frame`()
        async throws
    {
        let clock = ManualClock()
        let server = try Server(.init(react: { _ in [] }))
        var configuration = WebSocketRequest.Configuration()
        configuration.clock = clock
        let socket = Session.default.webSocketRequest(server.url, configuration: configuration)
        try await socket.opened()
        let closing = Task { try await socket.close(with: .init(rawValue: 4_000)) }
        var sleeps = clock.arrivals.makeAsyncIterator()
        #expect(await sleeps.next() == .seconds(10))
        for await frame in server.arriving where frame.opcode == .close { break }
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: ClientError.self) { try await closing.value }
        #expect(error?.kind == .webSocketFailed(.closedAbnormally))
        let refused = await #expect(throws: ClientError.self) {
            try await socket.close(with: .abnormalClosure)
        }
        #expect(refused?.kind == .webSocketFailed(.badCloseCode(.abnormalClosure)))
    }
}
