import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages
import Testing

/// What breaks the rules is told as what it is, and what comes after it, too.
struct HostileWebSocketTests {
    private static let deflate = WebSocketAgreement(deflate: PermessageDeflate())
    private static let server = WebSocketScript(.toClient)

    /// A broken rule: what it looks like, who sends it, and what is told of it.
    private static let cases: [(WebSocketScript, MessageRecord.Direction, String, String)] = [
        (
            WebSocketScript(.toServer).frame(1, Array("bare".utf8), masked: false), .toServer,
            "text bare invalid", "a client's frame without a mask (RFC 6455 §5.1)"
        ),
        (
            server.frame(1, Array("mask".utf8), masked: true), .toClient, "text mask invalid",
            "a server's frame with a mask (RFC 6455 §5.1)"
        ),
        (
            server.frame(1, "bits", bits: 2), .toClient, "text bits invalid",
            "a reserved bit that nothing agreed upon uses (RFC 6455 §5.2)"
        ),
        (
            server.frame(1, "rsv1", bits: 4), .toClient, "text rsv1 invalid",
            "a reserved bit that nothing agreed upon uses (RFC 6455 §5.2)"
        ),
        (
            server.frame(3, "three"), .toClient, "invalid three invalid",
            "opcode 3 is not defined (RFC 6455 §5.2)"
        ),
        (
            server.frame(11, "eleven"), .toClient, "invalid eleven invalid",
            "opcode 11 is not defined (RFC 6455 §5.2)"
        ),
        (
            server.frame(0, "alone"), .toClient, "invalid alone invalid",
            "a continuation of no message (RFC 6455 §5.4)"
        ),
        (
            server.frame(9, String(repeating: "p", count: 126)), .toClient,
            "ping \(String(repeating: "p", count: 126)) invalid",
            "a control frame of more than 125 bytes (RFC 6455 §5.5)"
        ),
        (
            server.frame(9, "part", fin: false), .toClient, "ping part invalid",
            "a fragmented control frame (RFC 6455 §5.5)"
        ),
        (
            server.frame(1, [0x61, 0xC3, 0x28]), .toClient, "text a\u{FFFD}( invalid",
            "not UTF-8 (RFC 6455 §8.1)"
        ),
        (
            server.frame(1, [0x61, 0xC3], fin: false).frame(0, [0x28]), .toClient,
            "text a\u{FFFD}( fragmented invalid", "not UTF-8 (RFC 6455 §8.1)"
        ),
        (
            server.frame(1, [0x61, 0xC3]), .toClient, "text a\u{FFFD} invalid",
            "not UTF-8 (RFC 6455 §8.1)"
        ),
        (
            server.raw([0x81, 0x7E, 0x00, 0x02, 0x68, 0x69]), .toClient, "text hi invalid",
            "a length in more bytes than it needs (RFC 6455 §5.2)"
        ),
    ]

    @Test(arguments: cases.indices)
    func `a WebSocket protocol violation is recorded, and later messages are still read`(index: Int)
    {
        let (script, direction, summary, problem) = Self.cases[index]
        let after = script.frame(2, "after", bits: 0)
        for cuts in [[], Array(1..<after.bytes.count)] {
            let records = told(after.bytes, direction, cuts: cuts)
            #expect(records.map(\.summary) == [summary, "binary after"])
            #expect(records.map(\.problem) == [problem, nil])
        }
    }

    @Test(
        arguments: [
            ([1], "a close frame of one byte (RFC 6455 §5.5.1)"),
            ([0x03, 0xE7], "close code 999 may not be sent (RFC 6455 §7.4)"),
            ([0x03, 0xED], "close code 1005 may not be sent (RFC 6455 §7.4)"),
            ([0x03, 0xEE], "close code 1006 may not be sent (RFC 6455 §7.4)"),
            ([0x03, 0xF7], "close code 1015 may not be sent (RFC 6455 §7.4)"),
            ([0x13, 0x88], "close code 5000 may not be sent (RFC 6455 §7.4)"),
            ([0x03, 0xE8, 0xFF], "not UTF-8 (RFC 6455 §8.1)"),
            ([], nil), ([0x03, 0xE8], nil), ([0x0F, 0xA0, 0x78], nil),
        ] as [([UInt8], String?)])
    func `a WebSocket close frame is recorded, and an invalid one is recorded with its problem`(
        payload: [UInt8], problem: String?
    ) {
        let records = told(Self.server.frame(8, payload).bytes)
        #expect(records.map(\.kind) == [.close])
        #expect(records.map(\.kept) == [payload])
        #expect(records.map(\.problem) == [problem])
    }

    @Test func `WebSocket data after a close frame is invalid, but control frames are allowed`() {
        let bytes = Self.server.frame(8, "").frame(1, "late").frame(9, "p").frame(8, "").bytes
        let records = told(bytes)
        #expect(records.map(\.summary) == ["close ", "text late invalid", "ping p", "close "])
        #expect(records[1].problem == "data after a close frame (RFC 6455 §5.5.1)")
    }

    @Test
    func `a WebSocket message that starts within another is invalid; the other is unfinished`() {
        let bytes = Self.server.frame(1, "first", fin: false).frame(2, "second").frame(0, "rest")
            .bytes
        let records = told(bytes)
        #expect(
            records.map(\.summary) == [
                "text first fragmented unfinished", "binary second invalid",
                "invalid rest invalid",
            ])
        #expect(
            records.map(\.problem) == [
                "another message begins before it ends (RFC 6455 §5.4)",
                "begins before the previous message has ended (RFC 6455 §5.4)",
                "a continuation of no message (RFC 6455 §5.4)",
            ])
    }

    @Test(arguments: [UInt64(Int64.max), 1 << 63, .max])
    func `a WebSocket message that announces a huge length is recorded with the bytes received`(
        length: UInt64
    ) {
        var bytes: [UInt8] = []
        WebSocketFrameHeader(opcode: .binary, payloadByteCount: length).write(into: &bytes)
        let records = told(bytes + [UInt8](repeating: 7, count: 2_000))
        #expect(records.map(\.byteCount) == [2_000])
        #expect(records.map { $0.flags.contains(.unfinished) } == [true])
        #expect(
            records.map(\.problem)
                == [length > Int64.max ? "a length above 2^63-1 (RFC 6455 §5.2)" : nil])
    }

    @Test func `a million empty WebSocket fragments are recorded as one message`() {
        let observer = WebSocketObserver(agreement: WebSocketAgreement())
        var records: [MessageRecord] = []
        let first = Self.server.frame(1, "a", fin: false).bytes
        observer.receive(first.span, .toClient) { records.append($0) }
        let thousand = (0..<1_000).flatMap { _ in [UInt8](arrayLiteral: 0x00, 0x00) }
        for _ in 0..<1_000 {
            observer.receive(thousand.span, .toClient) { records.append($0) }
        }
        #expect(records.isEmpty)
        let last = Self.server.frame(0, "b").bytes
        observer.receive(last.span, .toClient) { records.append($0) }
        #expect(records.map(\.summary) == ["text ab fragmented"])
    }

    @Test func `endless WebSocket fragments are kept up to the limit and counted in full`() {
        let observer = WebSocketObserver(agreement: WebSocketAgreement())
        var records: [MessageRecord] = []
        let piece = [UInt8](repeating: 0x61, count: 60_000)
        let first = Self.server.frame(1, piece, fin: false).bytes
        let more = Self.server.frame(0, piece, fin: false).bytes
        observer.receive(first.span, .toClient) { records.append($0) }
        for _ in 0..<200 { observer.receive(more.span, .toClient) { records.append($0) } }
        #expect(records.isEmpty)
        observer.end { records.append($0) }
        #expect(records.map(\.kept.count) == [1 << 20])
        #expect(records.map(\.byteCount) == [201 * 60_000])
        #expect(records.map(\.flags) == [[.fragmented, .cut, .unfinished]])
    }

    // MARK: Compression

    @Test
    func `with context takeover, messages after a decompression bomb are recorded compressed`()
        throws
    {
        let zeroes = [UInt8](repeating: 0, count: 32 << 20)
        let deflater = try MessageDeflater(windowBits: 15, keepsContext: true)
        let bomb = try deflater.deflate(zeroes.span)
        let word = Array("after".utf8)
        let after = try deflater.deflate(word.span)
        let bytes = Self.server.frame(2, bomb, bits: 4).frame(1, after, bits: 4)
            .frame(1, "plain").bytes
        let records = told(bytes, .toClient, Self.deflate)
        #expect(records.map(\.kind) == [.binary, .text, .text])
        #expect(
            records.map(\.flags) == [[.compressed, .cut], [.compressed, .stillCompressed], []])
        #expect(records[0].kept.count == 1 << 20)
        #expect(records[0].byteCount <= Int64(200 * bomb.count + (1 << 20) + (8 << 10)))
        #expect(records[0].wireByteCount == Int64(bomb.count))
        #expect(records[0].problem?.hasPrefix("decompressed no further") == true)
        #expect(records[1].kept == after)
        #expect(records[1].problem?.hasPrefix("cannot be decompressed without") == true)
        #expect(records[2].summary == "text plain")
    }

    @Test
    func `without context takeover, a WebSocket decompression bomb affects only its own message`()
        throws
    {
        let agreement = WebSocketAgreement(
            deflate: PermessageDeflate(server: .init(keepsContext: false)))
        let deflater = try MessageDeflater(windowBits: 15, keepsContext: false)
        let zeroes = [UInt8](repeating: 0, count: 32 << 20)
        let word = Array("after".utf8)
        let bytes = Self.server.frame(2, try deflater.deflate(zeroes.span), bits: 4)
            .frame(1, try deflater.deflate(word.span), bits: 4).bytes
        let records = told(bytes, .toClient, agreement)
        #expect(records.map { $0.flags.contains(.cut) } == [true, false])
        #expect(records.last?.summary == "text after compressed")
    }

    @Test func `a WebSocket message marked as compressed is invalid if it cannot be decompressed`()
    {
        let bytes = Self.server.frame(1, "\u{7}nonsense", bits: 4).frame(1, "x", bits: 4)
            .frame(1, "plain").bytes
        let records = told(bytes, .toClient, Self.deflate)
        #expect(records.map { $0.flags.contains(.invalid) } == [true, false, false])
        #expect(records[0].problem == "cannot be decompressed (RFC 7692 §7.2.2)")
        #expect(records[1].flags == [.compressed, .stillCompressed])
        #expect(records[1].kept == [0x78])
        #expect(records[2].summary == "text plain")
    }

    @Test
    func `after an interrupted compressed WebSocket message, the next is recorded compressed`()
        throws
    {
        let deflater = try MessageDeflater(windowBits: 15, keepsContext: true)
        let word = Array("some words".utf8)
        let payload = try deflater.deflate(word.span)
        let next = try deflater.deflate(word.span)
        let bytes = Self.server.frame(1, Array(payload.dropLast(2)), fin: false, bits: 4)
            .frame(1, next, bits: 4).bytes
        let records = told(bytes, .toClient, Self.deflate)
        #expect(records.map { $0.flags.contains(.unfinished) } == [true, false])
        #expect(records[1].flags.contains(.stillCompressed))
        #expect(records[1].kept == next)
    }

    @Test func `a compressed WebSocket text message that is not UTF-8 is reported`() throws {
        let wrong: [UInt8] = [0x61, 0xFF]
        let payload = try MessageDeflater(windowBits: 15, keepsContext: true).deflate(wrong.span)
        let records = told(Self.server.frame(1, payload, bits: 4).bytes, .toClient, Self.deflate)
        #expect(records.map(\.kept) == [wrong])
        #expect(records.map(\.problem) == ["not UTF-8 (RFC 6455 §8.1)"])
    }
}
