import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// A WebSocket while it is relayed: its bytes go on as they came, its messages go to the tap.
struct WebSocketRelayTests {
    private static let request =
        "GET http://h/chat HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    private static let response =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n"
    /// What proves the key of the request (RFC 6455 §1.3).
    private static let proof = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

    private static func frame(
        _ opcode: WebSocketOpcode, _ text: String, isMasked: Bool = false, isFinal: Bool = true,
        isCompressed: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(
            opcode, Array(text.utf8).span, isFinal: isFinal, isCompressed: isCompressed,
            maskingKey: isMasked ? 0x1122_3344 : nil, into: &bytes)
        return bytes
    }

    private static func closing(isMasked: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        let payload = WebSocketClosing(code: 1000).payload
        WebSocketFrameWriter.write(
            .close, payload.span, maskingKey: isMasked ? 7 : nil, into: &bytes)
        return bytes
    }

    /// Plays on where the server has switched.
    private func play<Value: Sendable>(
        offer: String = "", answer: String = "", proof: String = Self.proof, early: [UInt8] = [],
        pieceByteCount: Int = .max,
        configuration: EngineConfiguration = EngineConfiguration(),
        _ script: @escaping @Sendable (Playbook, ScriptedStream) -> Value,
        then end: @escaping @Sendable (Playbook, Value) -> Value = { $1 }
    ) throws -> Value {
        try Playbook.play(pieceByteCount: pieceByteCount, configuration: configuration) { book in
            book.clientSends("\(Self.request)\(offer)\r\n")
            let server = book.connects()
            server.receive(
                Array("\(Self.response)\(proof)\(answer)\r\n".utf8) + early,
                pieceByteCount: pieceByteCount)
            _ = book.did()
            return script(book, server)
        } then: { (book, value) in
            end(book, value)
        }
    }

    @Test(arguments: [Int.max, 1, 3])
    func `WebSocket messages of both sides are relayed unchanged and recorded in order`(
        pieceByteCount: Int
    ) throws {
        let (rows, sent, received) = try play(pieceByteCount: pieceByteCount) { book, server in
            let before = (server.written.count, book.client.written.count)
            book.clientSends(Self.frame(.text, "hello", isMasked: true))
            server.receive(Self.frame(.binary, "world"), pieceByteCount: pieceByteCount)
            book.clientSends(Self.frame(.ping, "p", isMasked: true))
            server.receive(Self.frame(.pong, "p"), pieceByteCount: pieceByteCount)
            book.clientSends(Self.closing(isMasked: true))
            server.receive(Self.closing(isMasked: false), pieceByteCount: pieceByteCount)
            server.receiveEnd(isClean: true)
            book.clientEnds()
            return (
                book.sink.rows, Array(server.written[before.0...]),
                Array(book.client.written[before.1...])
            )
        }
        #expect(
            sent == Self.frame(.text, "hello", isMasked: true)
                + Self.frame(.ping, "p", isMasked: true) + Self.closing(isMasked: true))
        #expect(
            received == Self.frame(.binary, "world") + Self.frame(.pong, "p")
                + Self.closing(isMasked: false))
        #expect(rows.map(\.state) == [.complete])
        #expect(rows.map(\.upgradedTo) == ["websocket"])
        #expect(rows.map(\.failure) == [nil])
        let messages = rows.first?.messages ?? []
        #expect(messages.map(\.kind) == [.text, .binary, .ping, .pong, .close, .close])
        #expect(
            messages.map(\.direction) == [
                .toServer, .toClient, .toServer, .toClient, .toServer, .toClient,
            ])
        #expect(messages.map(\.position) == [0, 1, 2, 3, 4, 5])
        #expect(messages.first?.content == .bytes(Array("hello".utf8)))
        #expect(messages.allSatisfy { $0.problem == nil && $0.offsetNs >= 0 })
    }

    @Test(arguments: [true, false])
    func `a WebSocket is recorded as delivered only if it ends with close frames`(
        isClosedInOrder: Bool
    ) throws {
        let rows = try play { book, server in
            if isClosedInOrder {
                book.clientSends(Self.closing(isMasked: true))
                server.receive(Self.closing(isMasked: false), pieceByteCount: .max)
            }
            server.receiveEnd(isClean: true)
            book.clientEnds()
            return book.sink.rows
        }
        let row = try #require(rows.first)
        #expect(row.state == (isClosedInOrder ? .complete : .failed))
        #expect((row.timeline[.delivered] != nil) == isClosedInOrder)
        #expect(row.timeline[.ended] != nil)
    }

    @Test func `WebSocket messages are recorded while the WebSocket is open`() throws {
        let rows = try play { book, server in
            server.receive(Self.frame(.text, "news"), pieceByteCount: .max)
            book.recordingTicks()
            return book.sink.rows
        }
        #expect(rows.map(\.state) == [.active])
        #expect(rows.first?.messages.map(\.content) == [.bytes(Array("news".utf8))])
    }

    @Test func `WebSocket frames in the same packet as the 101 are recorded as messages`() throws {
        let rows = try play(early: Self.frame(.text, "early")) { book, _ in
            book.recordingTicks()
            return book.sink.rows
        }
        #expect(rows.first?.messages.map(\.content) == [.bytes(Array("early".utf8))])
    }

    @Test func `compressed WebSocket messages are recorded decompressed`() throws {
        let extensions = "Sec-WebSocket-Extensions: permessage-deflate\r\n"
        let compressed: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let again: [UInt8] = [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]
        let rows = try play(offer: extensions, answer: extensions) { book, server in
            server.receive(compressed + again, pieceByteCount: .max)
            book.recordingTicks()
            return book.sink.rows
        }
        let messages = rows.first?.messages ?? []
        #expect(
            messages.map(\.content) == [.bytes(Array("Hello".utf8)), .bytes(Array("Hello".utf8))])
        #expect(messages.map(\.flags) == [.compressed, .compressed])
        #expect(messages.map(\.wireByteCount) == [7, 5])
    }

    @Test
    func `a WebSocket extension that was not offered is reported, and frames are still relayed`()
        throws
    {
        let (rows, written) = try play(
            answer: "Sec-WebSocket-Extensions: permessage-deflate\r\n"
        ) { book, server in
            let before = book.client.written.count
            server.receive(Self.frame(.text, "x", isCompressed: true), pieceByteCount: .max)
            book.recordingTicks()
            return (book.sink.rows, Array(book.client.written[before...]))
        }
        #expect(written == Self.frame(.text, "x", isCompressed: true))
        let messages = rows.first?.messages ?? []
        #expect(messages.map(\.kind) == [.invalid, .text])
        #expect(
            messages.first?.problem
                == "the server chose an extension that was not offered (RFC 6455 §4.1)")
    }

    @Test(arguments: [
        "", "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOp=\r\n", proof + proof,
    ])
    func `a wrong Sec-WebSocket-Accept is reported, and frames are still relayed`(
        proof: String
    ) throws {
        let (rows, written) = try play(proof: proof) { book, server in
            let before = book.client.written.count
            server.receive(Self.frame(.text, "x"), pieceByteCount: .max)
            book.recordingTicks()
            return (book.sink.rows, Array(book.client.written[before...]))
        }
        #expect(written == Self.frame(.text, "x"))
        let messages = rows.first?.messages ?? []
        #expect(messages.map(\.kind) == [.invalid, .text])
        #expect(messages.first?.direction == .toClient)
        #expect(
            messages.first?.problem
                == "Sec-WebSocket-Accept does not match the key that was sent (RFC 6455 §4.1)")
        #expect(rows.first?.status == 101 && rows.first?.upgradedTo == "websocket")
    }

    @Test func `invalid WebSocket frames are reported and relayed unchanged`() throws {
        let bytes: [UInt8] = [0xFF, 0x05, 1, 2, 3, 4, 5, 0x81, 0x01, 0xFF]
        let (rows, written) = try play { book, server in
            let before = server.written.count
            book.clientSends(bytes)
            book.recordingTicks()
            return (book.sink.rows, Array(server.written[before...]))
        }
        #expect(written == bytes)
        #expect(rows.first?.messages.map(\.kind) == [.invalid, .text])
        #expect(rows.first?.messages.contains { $0.problem == nil } == false)
    }

    // MARK: Ends

    /// How the row ends by what was said before the connection does.
    @Test(
        arguments: [
            (
                [], true, ExchangeState.failed,
                "the client ended the WebSocket without a close frame"
            ),
            ([], false, .failed, "the server ended the WebSocket without a close frame"),
            ([true], true, .complete, nil), ([true], false, .complete, nil),
            ([true, false], true, .complete, nil),
        ] as [([Bool], Bool, ExchangeState, String?)])
    func `a WebSocket is recorded as complete if a close frame was sent, and as failed otherwise`(
        closing: [Bool], clientFirst: Bool, state: ExchangeState, failure: String?
    ) throws {
        let rows = try play { book, server in
            for isClient in closing {
                if isClient {
                    book.clientSends(Self.closing(isMasked: true))
                } else {
                    server.receive(Self.closing(isMasked: false), pieceByteCount: .max)
                }
            }
            if clientFirst { book.clientEnds() }
            server.receiveEnd(isClean: true)
            if !clientFirst { book.clientEnds() }
            return book.sink.rows
        }
        #expect(rows.map(\.state) == [state])
        #expect(rows.map(\.failure?.message) == [failure])
    }

    @Test func `a connection reset fails a WebSocket unless both sides have sent a close frame`()
        throws
    {
        for bothClose in [false, true] {
            let rows = try play { book, server in
                book.clientSends(Self.closing(isMasked: true))
                if bothClose {
                    server.receive(Self.closing(isMasked: false), pieceByteCount: .max)
                }
                server.fail()
                return book.sink.rows
            }
            #expect(rows.map(\.state) == [bothClose ? .complete : .failed])
            #expect(rows.map(\.failure?.origin) == [bothClose ? nil : .upstream])
        }
    }

    @Test
    func `a WebSocket message cut off by the end of its connection is recorded as unfinished`()
        throws
    {
        let rows = try play { book, server in
            server.receive(Self.frame(.text, "begun", isFinal: false), pieceByteCount: .max)
            server.fail()
            return book.sink.rows
        }
        #expect(rows.first?.messages.map(\.content) == [.bytes(Array("begun".utf8))])
        #expect(rows.first?.messages.map(\.flags) == [[.fragmented, .unfinished]])
    }

    @Test func `a WebSocket that is idle for long is recorded as timed out`() throws {
        let rows = try play { book, _ in
            book.passes(seconds: 8_000)
            return book.sink.rows
        }
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.map(\.failure?.kind) == [.timedOut])
    }

    @Test func `after an Upgrade to a protocol other than WebSocket, no messages are recorded`()
        throws
    {
        let rows = try Playbook.play { book in
            book.clientSends(
                "GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
            book.connects()
            book.serverSends("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
            book.serverSends("\u{1}\u{5}Hello")
            book.serverEnds()
            book.clientEnds()
            return book.sink.rows
        }
        #expect(rows.map(\.state) == [.tunnel])
        #expect(rows.first?.messages.isEmpty == true)
    }

    // MARK: Back-pressure

    @Test func `neither side of a WebSocket is read while the recorder is full`() throws {
        let (paused, resumed) = try play { book, server in
            book.sink.setCongested(true)
            server.receive(Self.frame(.text, "much"), pieceByteCount: .max)
            let paused = book.did()
            book.client.drain()
            server.drain()
            let whilePaused = book.did()
            book.sink.setCongested(false)
            return (paused + whilePaused, [String]())
        } then: { (book, value) in
            (value.0, book.did())
        }
        #expect(paused.filter { !$0.contains("<") } == ["client paused", "server paused"])
        #expect(resumed == ["client resumed", "server resumed"])
    }

    @Test
    func `when the recorder catches up, a WebSocket server stays paused while its client is slow`()
        throws
    {
        let resumed = try play { book, server in
            book.sink.setCongested(true)
            book.client.queuedByteCount = 1 << 20
            server.receive(Self.frame(.text, "much"), pieceByteCount: .max)
            _ = book.did()
            book.sink.setCongested(false)
            return [String]()
        } then: { (book, _) in
            let first = book.did()
            book.client.drain()
            return first + ["drained"] + book.did()
        }
        #expect(resumed == ["client resumed", "drained", "server resumed"])
    }

    @Test func `if body recording is off, only the lengths of WebSocket messages are recorded`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.bodyCaptureByteCountMax = 0
        let rows = try play(configuration: configuration) { book, server in
            server.receive(Self.frame(.text, "secret"), pieceByteCount: .max)
            book.recordingTicks()
            return book.sink.rows
        }
        #expect(rows.first?.messages.map(\.byteCount) == [6])
        #expect(rows.first?.messages.map(\.content) == [.bytes([])])
        #expect(rows.first?.messages.map(\.flags) == [.cut])
    }
}
