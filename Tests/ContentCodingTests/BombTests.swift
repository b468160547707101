import ProxydContentCoding
import Testing

@Suite struct BombTests {
    private static let mebibyte = 1 << 20

    private func decode(
        _ bytes: [UInt8],
        _ contentEncoding: String,
        limits: DecodingLimits = DecodingLimits()
    ) -> DecodedContent {
        ContentDecoder.decode(bytes.span, contentEncoding: contentEncoding, limits: limits)
    }

    @Test func `a small decompression bomb is stopped at a thousand times its size plus 1 MiB`() {
        for (coding, bomb) in [("br", Bombs.brotli), ("zstd", Bombs.zstd(blockCount: 2_000))] {
            let allowance = bomb.count * 1_000 + BombTests.mebibyte
            let decoded = decode(bomb, coding)
            #expect(decoded.bytes.count == min(allowance, 64 * BombTests.mebibyte))
            #expect(decoded.failure == .overLimit(decodedByteCount: decoded.bytes.count))
        }
    }

    @Test func `a large decompression bomb is stopped at 64 MiB`() {
        let decoded = decode(Bombs.deflate(runByteCount: 100_000), "deflate")
        #expect(decoded.bytes.count == 64 * BombTests.mebibyte)
        #expect(decoded.failure == .overLimit(decodedByteCount: 64 * BombTests.mebibyte))
    }

    @Test func `a decompression bomb in several content codings is stopped`() {
        // The outer layer alone makes more than the cap; the inner one rejects none of it.
        let bomb = Bombs.zstd(blockCount: 20_000)
        let decoded = decode(bomb, "br, zstd")
        #expect(decoded.failure != nil)
        let limits = DecodingLimits(decodedByteCountMax: 1_000, ratioMax: 1, slackByteCount: 0)
        let stacked = decode(Samples.stacked, "gzip, br, zstd", limits: limits)
        #expect(stacked.failure == .overLimit(decodedByteCount: stacked.bytes.count))
        #expect(stacked.bytes.count == Samples.stacked.count)
    }

    @Test func `the output of a decompression bomb is limited by the input received so far`() throws
    {
        let decoder = try ContentDecoder(contentEncoding: "br")
        var output: [UInt8] = []
        var fedByteCount = 0
        let failure = #expect(throws: ContentCodingError.self) {
            for byte in Bombs.brotli {
                fedByteCount += 1
                let piece = [byte]
                try decoder.decode(piece.span, into: &output)
            }
        }
        #expect(failure == .overLimit(decodedByteCount: output.count))
        #expect(output.count <= fedByteCount * 1_000 + BombTests.mebibyte)
    }

    @Test func `size limits that the caller sets are applied exactly to decoded content`() {
        let limits = DecodingLimits(decodedByteCountMax: 10)
        let decoded = decode(Samples.gzip, "gzip", limits: limits)
        #expect(decoded.bytes == Array(Samples.text.prefix(10)))
        #expect(decoded.failure == .overLimit(decodedByteCount: 10))
        let exact = DecodingLimits(decodedByteCountMax: Samples.text.count)
        #expect(decode(Samples.gzip, "gzip", limits: exact).failure == nil)
        #expect(decode(Samples.text, "identity", limits: limits).bytes.count == 10)
    }

    @Test func `a zstd window of 8 MiB is accepted and a larger one is rejected`() {
        // Window descriptor (RFC 8878 §3.1.1.1.2): exponent 13 is 8 MiB, 14 is 16 MiB.
        let emptyLastBlock: [UInt8] = [0x01, 0x00, 0x00]
        let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00]
        #expect(decode(magic + [13 << 3] + emptyLastBlock, "zstd").failure == nil)
        #expect(
            decode(magic + [14 << 3] + emptyLastBlock, "zstd").failure == .windowTooLarge(.zstd)
        )
    }

    @Test func `brotli with the large window extension is not decoded`() {
        // The reserved window code that the large window extension took over.
        let head: [UInt8] = [0x11, 0x1E, 0x00, 0x00, 0x00]
        #expect(decode(head, "br").remark == .absent(.brotli))
        var output: [UInt8] = []
        #expect(throws: ContentCodingError.corruptInput(.brotli)) {
            try ContentDecoder([.brotli]).decode(head.span, into: &output)
        }
    }
}
