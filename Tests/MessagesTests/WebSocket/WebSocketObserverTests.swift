import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages
import Testing

/// Messages in the bytes of a WebSocket that keeps the rules (RFC 6455 §5 and §6, RFC 7692).
struct WebSocketObserverTests {
    private static let deflate = WebSocketAgreement(deflate: PermessageDeflate())

    private static func conversation(_ direction: MessageRecord.Direction) -> [UInt8] {
        WebSocketScript(direction)
            .frame(1, "grüße").frame(2, [0, 1, 0xFF]).frame(9, "ping").frame(10, "")
            .frame(1, "one ", fin: false).frame(9, "between").frame(0, "two ", fin: false)
            .frame(0, "three").frame(1, "").frame(8, [0x03, 0xE8] + Array("bye".utf8)).bytes
    }

    private static let summaries = [
        "text grüße", "binary \u{0}\u{1}\u{FFFD}", "ping ping", "pong ", "ping between",
        "text one two three fragmented", "text ", "close \u{3}\u{FFFD}bye",
    ]

    @Test(arguments: MessageRecord.Direction.allCases)
    func `WebSocket messages are recorded in the order in which they are completed`(
        direction: MessageRecord.Direction
    ) {
        let records = told(Self.conversation(direction), direction)
        #expect(records.map(\.summary) == Self.summaries)
        #expect(records.map(\.byteCount) == [7, 3, 4, 0, 7, 13, 0, 5])
        #expect(records.map(\.wireByteCount) == [7, 3, 4, 0, 7, 13, 0, 5])
        #expect(records.allSatisfy { $0.direction == direction && $0.problem == nil })
    }

    @Test func `WebSocket messages are recorded the same wherever the bytes are split`() {
        let bytes = Self.conversation(.toServer)
        for cut in 0...bytes.count {
            let records = told(bytes, .toServer, cuts: [cut])
            #expect(records.map(\.summary) == Self.summaries, "cut at \(cut)")
        }
        let records = told(bytes, .toServer, cuts: Array(1..<bytes.count))
        #expect(records.map(\.summary) == Self.summaries)
    }

    @Test
    func `recorded WebSocket messages have a direction, and a close by both sides is detected`() {
        let observer = WebSocketObserver(agreement: WebSocketAgreement())
        var records: [MessageRecord] = []
        let client = WebSocketScript(.toServer).frame(1, "a").frame(8, [0x03, 0xE8]).bytes
        let server = WebSocketScript(.toClient).frame(1, "b").frame(8, [0x03, 0xE8]).bytes
        observer.receive(client.span.extracting(0..<3), .toServer) { records.append($0) }
        observer.receive(server.span.extracting(0..<3), .toClient) { records.append($0) }
        #expect(!observer.isClosing)
        observer.receive(client.span.extracting(3..<client.count), .toServer) {
            records.append($0)
        }
        #expect(observer.isClosing && !observer.isClosedCleanly)
        observer.receive(server.span.extracting(3..<server.count), .toClient) {
            records.append($0)
        }
        #expect(observer.isClosedCleanly)
        #expect(records.map(\.direction) == [.toClient, .toServer, .toServer, .toClient])
        #expect(records.map(\.kind) == [.text, .text, .close, .close])
    }

    // MARK: Compression

    /// Texts compressed one after the other, in a frame each or in two.
    private static func compressed(
        _ texts: [String], _ direction: MessageRecord.Direction, fragmented: Bool = false
    ) throws -> [UInt8] {
        let deflater = try MessageDeflater(windowBits: 15, keepsContext: true)
        var script = WebSocketScript(direction)
        for text in texts {
            let message = Array(text.utf8)
            let payload = try deflater.deflate(message.span)
            let half = payload.count / 2
            script =
                fragmented
                ? script.frame(1, Array(payload[..<half]), fin: false, bits: 4)
                    .frame(0, Array(payload[half...]))
                : script.frame(1, payload, bits: 4)
        }
        return script.bytes
    }

    @Test(arguments: MessageRecord.Direction.allCases, [true, false])
    func `WebSocket messages compressed with context takeover are recorded decompressed`(
        direction: MessageRecord.Direction, fragmented: Bool
    ) throws {
        let texts = (0..<50).map { "{\"number\":\($0),\"text\":\"grüße und mehr davon\"}" }
        let bytes = try Self.compressed(texts, direction, fragmented: fragmented)
        for cuts in [[], Array(1..<bytes.count)] {
            let records = told(bytes, direction, Self.deflate, cuts: cuts)
            #expect(records.map { String(decoding: $0.kept, as: UTF8.self) } == texts)
            #expect(records.allSatisfy { $0.problem == nil && $0.flags.contains(.compressed) })
            #expect(records.map(\.byteCount) == texts.map { Int64($0.utf8.count) })
            #expect(records.last.map { $0.wireByteCount < $0.byteCount } == true)
            #expect(records.allSatisfy { $0.flags.contains(.fragmented) == fragmented })
        }
    }

    @Test func `uncompressed WebSocket messages may come between compressed ones`() throws {
        let first = try Self.compressed(["first"], .toClient)
        let bytes = WebSocketScript(.toClient).raw(first).frame(1, "plain").raw(first).bytes
        let records = told(bytes, .toClient, Self.deflate)
        #expect(
            records.map(\.summary) == [
                "text first compressed", "text plain", "text first compressed",
            ])
    }

    // MARK: What is kept

    @Test func `the beginning of a large WebSocket message is kept and the rest is counted`() {
        let limits = MessageLimits(keptByteCountMax: 1_000)
        let payload = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
        let script = WebSocketScript(.toServer)
        for bytes in [
            script.frame(2, payload).bytes,
            script.frame(2, Array(payload[..<999]), fin: false)
                .frame(0, Array(payload[999...])).bytes,
        ] {
            for cuts in [[], [700, 1_500], Array(stride(from: 7, to: bytes.count, by: 7))] {
                let records = told(bytes, .toServer, limits: limits, cuts: cuts)
                #expect(records.map(\.kept) == [Array(payload[..<1_000])])
                #expect(records.map(\.byteCount) == [5_000])
                #expect(records.map { $0.flags.contains(.cut) } == [true])
                #expect(records.map(\.problem) == [nil])
            }
        }
    }

    @Test func `a WebSocket text message is checked for UTF-8 even beyond the part that is kept`() {
        let limits = MessageLimits(keptByteCountMax: 3)
        let good = WebSocketScript(.toClient).frame(1, "grüße, grüße").bytes
        let kept = told(good, limits: limits)
        #expect(kept.map(\.problem) == [nil])
        // Half a character is not kept.
        #expect(kept.map(\.summary) == ["text gr cut"])
        let bad = WebSocketScript(.toClient).frame(1, Array("abcdefg".utf8) + [0xFF]).bytes
        #expect(told(bad, limits: limits).map(\.problem) == ["not UTF-8 (RFC 6455 §8.1)"])
    }

    @Test func `a WebSocket message incomplete when its connection ends is recorded as unfinished`()
    {
        let script = WebSocketScript(.toClient)
        let half = script.frame(1, "one ", fin: false).raw([0x89, 4, 0x70, 0x69]).bytes
        #expect(
            told(half).map(\.summary) == ["ping pi unfinished", "text one  fragmented unfinished"])
        let cut = script.frame(1, "whole").frame(2, "half of it").bytes.dropLast(3)
        #expect(told(Array(cut)).map(\.summary) == ["text whole", "binary half of unfinished"])
        #expect(told(Array(cut), ends: false).map(\.summary) == ["text whole"])
        // A character that is cut is no fault of the sender.
        let character = script.frame(1, [0x61, 0xE2, 0x82], fin: false).bytes
        #expect(told(character).map(\.problem) == [nil])
    }
}
