import ProxydHTTPWire
import Testing

/// Frames as they are cut out of a connection's bytes, however these come.
struct WebSocketFrameReaderTests {
    /// A frame as it was read.
    private struct Frame: Hashable {
        var header: WebSocketFrameHeader
        var payload: [UInt8] = []
        var isWhole = false
    }

    /// Reads pieces, and checks what the reader promises of each.
    private func frames(_ pieces: [[UInt8]]) -> [Frame] {
        var reader = WebSocketFrameReader()
        var frames: [Frame] = []
        for piece in pieces {
            var offset = 0
            reading: while true {
                switch reader.next(piece.span, from: &offset) {
                case .needsMoreInput: break reading
                case .header(let header): frames.append(Frame(header: header))
                case .payload(let range, let isLast):
                    guard let last = frames.indices.last else { break reading }
                    reader.append(range, of: piece.span, to: &frames[last].payload)
                    frames[last].isWhole = isLast
                }
            }
            #expect(offset == piece.count)
        }
        #expect(reader.isInsideFrame == (frames.last?.isWhole == false))
        return frames
    }

    /// Every form of a length, masked and not, empty and not, one after the other.
    private static let conversation: [(WebSocketOpcode, Int, UInt32?)] = [
        (.text, 0, nil), (.binary, 1, 0x0102_0304), (.text, 125, nil), (.ping, 125, 0xFFFE_FDFC),
        (.binary, 126, 0x8000_0001), (.text, 127, nil), (.close, 0, 7), (.pong, 3, 0),
        (.binary, 300, nil),
    ]

    private static func payload(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
    }

    private static let bytes: [UInt8] = {
        var bytes: [UInt8] = []
        for (opcode, count, key) in conversation {
            WebSocketFrameWriter.write(
                opcode, payload(count).span, isFinal: opcode != .text,
                isCompressed: opcode == .binary, maskingKey: key, into: &bytes)
        }
        return bytes
    }()

    private static let expected = conversation.map { opcode, count, key in
        Frame(
            header: WebSocketFrameHeader(
                isFinal: opcode != .text, reservedBits: opcode == .binary ? 4 : 0, opcode: opcode,
                maskingKey: key, payloadByteCount: UInt64(count)),
            payload: payload(count), isWhole: true)
    }

    @Test func `WebSocket frames are read back as they were written`() {
        #expect(frames([Self.bytes]) == Self.expected)
    }

    @Test func `WebSocket frames that arrive byte by byte are read correctly`() {
        #expect(frames(Self.bytes.map { [$0] }) == Self.expected)
    }

    @Test func `WebSocket frames split in two at any place are read correctly`() {
        for cut in 0...Self.bytes.count {
            let pieces = [Array(Self.bytes[..<cut]), Array(Self.bytes[cut...])]
            #expect(frames(pieces) == Self.expected, "cut at \(cut)")
        }
    }

    @Test(arguments: [2, 3, 5, 7, 11, 13, 64])
    func `WebSocket frames that arrive in pieces of a few bytes are read correctly`(count: Int) {
        let starts = stride(from: 0, to: Self.bytes.count, by: count)
        let pieces = starts.map { Array(Self.bytes[$0..<min($0 + count, Self.bytes.count)]) }
        #expect(frames(pieces) == Self.expected)
    }

    /// The examples of RFC 6455 §5.7.
    @Test func `the example frames of RFC 6455 are read and written`() {
        let hello = Array("Hello".utf8)
        let examples: [([UInt8], WebSocketOpcode, Bool, UInt32?, [UInt8])] = [
            ([0x81, 0x05] + hello, .text, true, nil, hello),
            (
                [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .text, true,
                0x37FA_213D, hello
            ),
            ([0x01, 0x03] + Array("Hel".utf8), .text, false, nil, Array("Hel".utf8)),
            ([0x80, 0x02] + Array("lo".utf8), .continuation, true, nil, Array("lo".utf8)),
            (
                [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], .pong, true,
                0x37FA_213D, hello
            ),
            (
                [0x82, 0x7E, 0x01, 0x00] + Self.payload(256), .binary, true, nil,
                Self.payload(256)
            ),
            (
                [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + Self.payload(65_536), .binary, true, nil,
                Self.payload(65_536)
            ),
        ]
        for (bytes, opcode, isFinal, key, payload) in examples {
            let found = frames([bytes])
            #expect(found.map(\.header.opcode) == [opcode])
            #expect(found.map(\.header.isFinal) == [isFinal])
            #expect(found.map(\.header.maskingKey) == [key])
            #expect(found.map(\.payload) == [payload])
            var written: [UInt8] = []
            WebSocketFrameWriter.write(
                opcode, payload.span, isFinal: isFinal, maskingKey: key, into: &written)
            #expect(written == bytes)
        }
    }

    @Test(arguments: [UInt64(Int64.max), 1 << 63, .max])
    func `a WebSocket frame that announces a huge length yields the payload received so far`(
        length: UInt64
    ) {
        var bytes: [UInt8] = []
        WebSocketFrameHeader(opcode: .binary, payloadByteCount: length).write(into: &bytes)
        let found = frames([bytes, [1, 2, 3], [4]])
        #expect(found.map(\.header.payloadByteCount) == [length])
        #expect(found.map(\.payload) == [[1, 2, 3, 4]])
        #expect(found.map(\.isWhole) == [false])
    }

    @Test
    func `a WebSocket length encoded in more bytes than needed is read but flagged as not minimal`()
    {
        let short: [UInt8] = [0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0, 5, 1, 2, 3, 4, 5]
        let found = frames([short])
        #expect(found.map(\.payload) == [[1, 2, 3, 4, 5]])
        #expect(found.map(\.header.isLengthMinimal) == [false])
        #expect(!Self.expected.contains { !$0.header.isLengthMinimal })
    }

    @Test func `the beginning of a masked WebSocket payload can be unmasked without the rest`() {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(
            .binary, Self.payload(40).span, maskingKey: 0xA1B2_C3D4, into: &bytes)
        var reader = WebSocketFrameReader()
        var offset = 0
        guard case .header = reader.next(bytes.span, from: &offset),
            case .payload(let range, true) = reader.next(bytes.span, from: &offset)
        else {
            Issue.record("no frame")
            return
        }
        var beginning: [UInt8] = []
        reader.append(range.prefix(13), of: bytes.span, to: &beginning)
        #expect(beginning == Array(Self.payload(40).prefix(13)))
    }
}
