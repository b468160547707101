import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Heads of HTTP/2 that are too large or cannot be decoded: what is recorded of them, and how much
/// at most.
struct HTTP2LostHeadTests {
    private struct Outcome: Sendable {
        var client: [String]
        var rows: [RecordingSink.Recorded]

        init(_ scene: HTTP2Scene) {
            client = scene.client.got()
            rows = scene.book.sink.rows
        }

        /// The fields of the last row, as text.
        var lines: [String] {
            FieldList.lines(rows.last?.malformed ?? []).map { ASCII.text($0) }
        }
        var message: String { rows.last?.failure?.message ?? "" }
    }

    /// `:method: GET`, `:scheme: http`, `:path: /`, `:authority: h`.
    private static let usual: [UInt8] = [0x82, 0x86, 0x84, 0x41, 1, 0x68]

    /// A field with a literal name of one letter: not added to the table, or added to it.
    private static func field(
        _ name: Character, byteCount: Int, isAdded: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = [isAdded ? 0x40 : 0, 1, name.asciiValue ?? 0]
        if byteCount < 127 {
            bytes.append(UInt8(byteCount))
        } else {
            var left = byteCount - 127
            bytes.append(127)
            while left >= 128 {
                bytes.append(UInt8(left & 127) | 128)
                left >>= 7
            }
            bytes.append(UInt8(left))
        }
        return bytes + Array(repeating: 0x61, count: byteCount)
    }

    /// A field block in frames of 16,000 bytes.
    private static func frames(_ block: [UInt8], on stream: UInt8 = 1) -> [UInt8] {
        stride(from: 0, to: block.count, by: 16_000).flatMap { start -> [UInt8] in
            let piece = block[start..<min(block.count, start + 16_000)]
            let ends: UInt8 = start + 16_000 >= block.count ? 4 : 0
            let flags = (start == 0 ? 1 : 0) | ends
            let length = [0, UInt8(piece.count >> 8), UInt8(piece.count & 255)]
            return length + [start == 0 ? 1 : 9, flags, 0, 0, 0, stream] + piece
        }
    }

    private static func play(_ bytes: [UInt8]) throws -> Outcome {
        try HTTP2Scene.play([{ $0.book.clientSends(bytes) }], end: Outcome.init)
    }

    @Test
    func `if an HTTP/2 field block exceeds the size limit, the fields decoded so far are recorded`()
        throws
    {
        let outcome = try Self.play(
            Self.frames(Self.usual + Self.field("x", byteCount: 300_000)))
        #expect(outcome.client == ["goaway 0 ENHANCE_YOUR_CALM"])
        #expect(outcome.rows.map(\.state) == [.failed])
        #expect(outcome.rows.first?.status == nil)
        #expect(outcome.rows.first?.http2?.clientStream?.rawValue == 1)
        #expect(outcome.lines == [":method: GET", ":scheme: http", ":path: /", ":authority: h"])
        #expect(outcome.rows.first?.failure?.kind == .malformedRequest)
        #expect(outcome.message.hasPrefix("the head is too large: 272000 bytes"))
        #expect(outcome.rows.first?.frames.isEmpty == false)
    }

    @Test func `the first 64 KiB of the fields are recorded if an HTTP/2 head is too large`() throws
    {
        let field = Self.field("x", byteCount: 999)
        let outcome = try Self.play(
            Self.frames(Self.usual + (0..<300).flatMap { _ in field }))
        let kept = outcome.lines.reduce(0) { $0 + $1.utf8.count - 2 }
        #expect(outcome.lines.count == 70 && kept == 64 << 10)
        #expect(outcome.message.contains("the first 65536 bytes"))
    }

    @Test func `an HPACK field block that cannot be decoded is recorded up to the invalid entry`()
        throws
    {
        let outcome = try Self.play(Self.frames(Self.usual + [0x80]))
        #expect(outcome.client == ["goaway 0 COMPRESSION_ERROR"])
        #expect(outcome.rows.map(\.state) == [.failed])
        #expect(outcome.lines.first == ":method: GET" && outcome.lines.count == 4)
        #expect(
            outcome.message.hasSuffix("a field block refers to an entry that is in no table"))
    }

    @Test
    func `a malformed head that HPACK expands from a few bytes is recorded with at most 65 KiB`()
        throws
    {
        // An entry of 4,000 bytes, then a head that names it 60 times.
        let first = Self.frames(Self.usual + Self.field("x", byteCount: 4_000, isAdded: true))
        let many = Array(repeating: UInt8(0xBF), count: 60)
        let second = Self.frames(Self.usual + many + Self.field("X", byteCount: 1), on: 3)
        let outcome = try Self.play(first + second)
        #expect(second.count < 100)
        let row = try #require(outcome.rows.first { $0.malformed != nil })
        #expect(row.status == 400)
        #expect((row.malformed?.count ?? 0) <= (64 << 10) + 1_024)
        let message = row.failure?.message ?? ""
        #expect(message.hasPrefix("a field name has capital letters: 65 fields with 240"))
    }

    @Test func `an HTTP/2 request whose trailers are too large is recorded once, as failed`() throws
    {
        let head: [UInt8] = [0x83, 0x86, 0x84, 0x41, 1, 0x68]
        let begun: [UInt8] = [0, 0, UInt8(head.count), 1, 4, 0, 0, 0, 1] + head
        let outcome = try Self.play(begun + Self.frames(Self.field("x", byteCount: 300_000)))
        #expect(outcome.rows.map(\.method) == ["POST"])
        #expect(outcome.rows.map(\.state) == [.failed])
    }
}
