import ProxydContentCoding
import Testing

/// Messages of a WebSocket, compressed and decompressed (RFC 7692 §7.2).
struct MessageInflaterTests {
    private static let limits = DecodingLimits(ratioMax: 200)

    private func inflate(
        _ inflater: MessageInflater, _ payload: [UInt8], cut: Int? = nil
    ) throws(ContentCodingError) -> [UInt8] {
        var message: [UInt8] = []
        let index = cut ?? payload.count
        for range in [0..<index, index..<payload.count] {
            try inflater.receive(payload.span.extracting(range)) { piece in
                piece.withUnsafeBufferPointer { message.append(contentsOf: $0) }
            }
        }
        try inflater.endMessage { piece in
            piece.withUnsafeBufferPointer { message.append(contentsOf: $0) }
        }
        return message
    }

    private func deflate(
        _ deflater: MessageDeflater, _ message: [UInt8]
    ) throws(ContentCodingError) -> [UInt8] {
        try deflater.deflate(message.span)
    }

    private func inflater(
        windowBits: Int = 15, keepsContext: Bool = true,
        limits: DecodingLimits = MessageInflaterTests.limits
    ) throws -> MessageInflater {
        try MessageInflater(windowBits: windowBits, keepsContext: keepsContext, limits: limits)
    }

    /// The examples of RFC 7692 §7.2.3.
    @Test func `the compressed example messages of RFC 7692 are decompressed`() throws {
        let hello = Array("Hello".utf8)
        let context = try inflater()
        #expect(
            try inflate(context, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]) == hello)
        #expect(try inflate(context, [0xF2, 0x00, 0x11, 0x00, 0x00]) == hello)
        let stored: [UInt8] = [0x00, 0x05, 0x00, 0xFA, 0xFF] + hello + [0x00]
        #expect(try inflate(try inflater(), stored) == hello)
        let last: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        #expect(try inflate(try inflater(), last) == hello)
        let blocks: [UInt8] = [
            0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00,
        ]
        #expect(try inflate(try inflater(), blocks) == hello)
        #expect(try inflate(try inflater(), [0x00]) == [])
    }

    @Test
    func `later WebSocket messages can refer back to one that ended with a final deflate block`()
        throws
    {
        let inflater = try inflater()
        let last: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        #expect(try inflate(inflater, last) == Array("Hello".utf8))
        // A reference to the five bytes before.
        #expect(try inflate(inflater, [0xF2, 0x00, 0x11, 0x00, 0x00]) == Array("Hello".utf8))
    }

    @Test(arguments: 8...15, [true, false])
    func `WebSocket messages survive compression with each window size and context setting`(
        windowBits: Int, keepsContext: Bool
    ) throws {
        let deflater = try MessageDeflater(windowBits: windowBits, keepsContext: keepsContext)
        let inflater = try inflater(windowBits: windowBits, keepsContext: keepsContext)
        for round in 0..<40 {
            let message = Array("{\"round\":\(round),\"words\":\"\(words(round))\"}".utf8)
            let payload = try deflate(deflater, message)
            #expect(try inflate(inflater, payload, cut: payload.count / 2) == message)
        }
        #expect(try inflate(inflater, try deflate(deflater, [UInt8]())) == [])
        #expect(try inflate(inflater, try deflate(deflater, [UInt8]())) == [])
    }

    /// Repeats itself within a few bytes and over more than any window.
    private func words(_ round: Int) -> String {
        (0..<(round * 20)).map { "w\($0 * $0 % 97)" }.joined(separator: " ")
    }

    @Test func `repeated WebSocket messages compress better only with context takeover`() throws {
        let message = Array("the same words in every message, and some more of them".utf8)
        let context = try MessageDeflater(windowBits: 15, keepsContext: true)
        let none = try MessageDeflater(windowBits: 15, keepsContext: false)
        let first = try deflate(context, message)
        #expect(try deflate(context, message).count < first.count)
        #expect(try deflate(none, message) == first)
        #expect(try deflate(none, message) == first)
    }

    @Test func `a compressed WebSocket message is decompressed the same wherever it is split`()
        throws
    {
        let message = Array(words(12).utf8)
        let payload = try deflate(MessageDeflater(windowBits: 15, keepsContext: true), message)
        for cut in 0...payload.count {
            #expect(try inflate(try inflater(), payload, cut: cut) == message, "cut at \(cut)")
        }
    }

    @Test func `a large compressed WebSocket message is decompressed completely`() throws {
        let message = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let payload = try deflate(MessageDeflater(windowBits: 15, keepsContext: true), message)
        #expect(try inflate(try inflater(), payload) == message)
    }

    @Test(arguments: [
        [0x07], [0xFF, 0xFF, 0xFF, 0xFF], [0xF2, 0x48], [0xF2, 0x00, 0x11, 0x00, 0x00],
    ])
    func `an invalid compressed message is rejected, and with context takeover all later ones too`(
        payload: [UInt8]
    ) throws {
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        for keepsContext in [true, false] {
            let inflater = try inflater(keepsContext: keepsContext)
            #expect(throws: ContentCodingError.self) { try inflate(inflater, payload) }
            inflater.abandonMessage()
            #expect(inflater.isReady == !keepsContext)
            if keepsContext {
                #expect(throws: ContentCodingError.self) { try inflate(inflater, hello) }
            } else {
                #expect(try inflate(inflater, hello) == Array("Hello".utf8))
            }
        }
    }

    @Test func `a WebSocket decompression bomb is stopped at the ratio limit, however it is split`()
        throws
    {
        let zeroes = [UInt8](repeating: 0, count: 16 << 20)
        let bomb = try deflate(MessageDeflater(windowBits: 15, keepsContext: false), zeroes)
        #expect(bomb.count < 20_000)
        for pieceByteCount in [1, 100, bomb.count] {
            let inflater = try inflater(keepsContext: false)
            var byteCount = 0
            #expect(throws: ContentCodingError.self) {
                for start in stride(from: 0, to: bomb.count, by: pieceByteCount) {
                    let end = min(start + pieceByteCount, bomb.count)
                    try inflater.receive(bomb.span.extracting(start..<end)) {
                        byteCount += $0.count
                    }
                }
            }
            #expect(byteCount <= 200 * bomb.count + (1 << 20) + (8 << 10))
            inflater.abandonMessage()
            #expect(inflater.isReady)
        }
    }

    @Test
    func `decompressing a WebSocket message stops at the size limit, at any compression ratio`()
        throws
    {
        let inflater = try inflater(limits: DecodingLimits(decodedByteCountMax: 100_000))
        let message = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 9) }
        let payload = try deflate(MessageDeflater(windowBits: 15, keepsContext: true), message)
        let failure = #expect(throws: ContentCodingError.self) { try inflate(inflater, payload) }
        guard case .overLimit(let count) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(count > 100_000 && count <= 100_000 + (8 << 10))
    }
}
