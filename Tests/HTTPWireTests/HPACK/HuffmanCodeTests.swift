import ProxydTestSupport
import Testing

@testable import ProxydHTTPWire

@Suite struct HuffmanCodeTests {
    private func decode(_ bytes: [UInt8]) throws(HPACKError) -> [UInt8] {
        var output: [UInt8] = []
        try HuffmanCode.decode(bytes.span, into: &output)
        return output
    }

    private func encode(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        HuffmanCode.encode(bytes.span, into: &output)
        #expect(output.count == HuffmanCode.encodedByteCount(bytes.span))
        return output
    }

    /// Codes of each length in appendix B.
    @Test(
        arguments: [
            (0x30, 0x0, 5), (0x74, 0x9, 5), (0x20, 0x14, 6), (0x75, 0x2d, 6), (0x3A, 0x5c, 7),
            (0x7A, 0x7b, 7), (0x26, 0xf8, 8), (0x5A, 0xfd, 8), (0x21, 0x3f8, 10), (0x3F, 0x3fc, 10),
            (0x27, 0x7fa, 11), (0x7C, 0x7fc, 11), (0x23, 0xffa, 12), (0x00, 0x1ff8, 13),
            (0x7E, 0x1ffd, 13), (0x5E, 0x3ffc, 14), (0x3C, 0x7ffc, 15), (0x5C, 0x7fff0, 19),
            (0xD0, 0x7fff2, 19), (0x80, 0xfffe6, 20), (0xE2, 0xfffed, 20), (0x99, 0x1fffdc, 21),
            (0x81, 0x3fffd2, 22), (0x01, 0x7fffd8, 23), (0x09, 0xffffea, 24),
            (0xC7, 0x1ffffec, 25), (0xC0, 0x3ffffe0, 26), (0xCB, 0x7ffffde, 27),
            (0x02, 0xfffffe2, 28), (0xF9, 0xffffffe, 28), (0x0A, 0x3ffffffc, 30),
            (0x0D, 0x3ffffffd, 30), (0x16, 0x3ffffffe, 30),
        ] as [(UInt8, UInt64, Int)])
    func `bytes of every code length are Huffman-encoded as RFC 7541 specifies`(
        byte: UInt8, code: UInt64, bitCount: Int
    ) {
        let padded = code << UInt64(64 - bitCount) | UInt64.max >> UInt64(bitCount)
        let bytes = withUnsafeBytes(of: padded.bigEndian) { Array($0) }
        #expect(encode([byte]) == Array(bytes.prefix((bitCount + 7) / 8)))
    }

    @Test func `every byte survives a Huffman round trip, alone and in random strings`() throws {
        #expect(encode([]) == [])
        #expect(try decode([]) == [])
        for byte in UInt8.min...UInt8.max {
            #expect(try decode(encode([byte])) == [byte])
        }
        var random = SplitMix(seed: 1)
        for _ in 0..<2_000 {
            let isText = random.below(2) == 0
            let bytes = (0..<random.below(200)).map { _ in
                isText ? UInt8(0x20 + random.below(0x5F)) : UInt8(random.below(256))
            }
            #expect(try decode(encode(bytes)) == bytes)
        }
    }

    @Test func `Huffman padding of more than seven bits is rejected`() throws {
        // Eight zeros ('0') leave no bits, and no byte ends in a whole one of padding.
        #expect(try decode([0x00, 0x00, 0x00, 0x00, 0x00]) == Array("00000000".utf8))
        #expect(throws: HPACKError.badPadding) { try decode([0x00, 0x00, 0x00, 0x00, 0x00, 0xFF]) }
        #expect(throws: HPACKError.badPadding) { try decode([0xFF]) }
        #expect(throws: HPACKError.badPadding) { try decode([0xFF, 0xFF, 0xFF]) }
        // '&' has eight bits, 'a' five: three of padding.
        #expect(try decode([0xF8]) == Array("&".utf8))
        #expect(try decode([0x1F]) == Array("a".utf8))
        #expect(throws: HPACKError.badPadding) { try decode([0x1F, 0xFF]) }
    }

    @Test(arguments: [0x18, 0x1E, 0x1D, 0x1B] as [UInt8])
    func `Huffman padding that is not the beginning of EOS is rejected`(last: UInt8) {
        #expect(throws: HPACKError.badPadding) { try decode([last]) }
    }

    @Test func `an EOS symbol anywhere in a Huffman string is rejected`() {
        #expect(throws: HPACKError.endOfString) { try decode([0xFF, 0xFF, 0xFF, 0xFF]) }
        #expect(throws: HPACKError.endOfString) { try decode([0xFF, 0xFF, 0xFF, 0xFC]) }
        // 'a', EOS, 'a' and padding.
        #expect(throws: HPACKError.endOfString) { try decode([0x1F, 0xFF, 0xFF, 0xFF, 0xE3]) }
        #expect(throws: HPACKError.endOfString) {
            try decode(Array(repeating: 0x00, count: 20) + Array(repeating: 0xFF, count: 12))
        }
    }
}
