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

/// Small contents that decode to very large ones, made here.
enum Bombs {
    /// A deflate block whose tables make two bits of a run of 258 zeros: 1,032 for one.
    static func deflate(runByteCount: Int) -> [UInt8] {
        let zlibHeader: [UInt8] = [0x78, 0xDA]
        let tables: [UInt8] = [
            0xED, 0xC1, 0x01, 0x01, 0x00, 0x00, 0x00, 0x82, 0x20, 0xFF, 0xAF, 0x6E, 0x48, 0x40,
            0x01,
        ]
        return zlibHeader + tables + [UInt8](repeating: 0, count: runByteCount)
    }

    /// Zstandard run-length blocks: four bytes for 128 KiB (RFC 8878 §3.1.1.2).
    static func zstd(blockCount: Int) -> [UInt8] {
        let blockByteCount: UInt32 = 128 << 10
        // Magic, a descriptor without content size, a window of 128 KiB.
        var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
        for index in 0..<blockCount {
            let isLast: UInt32 = index == blockCount - 1 ? 1 : 0
            let header = blockByteCount << 3 | 1 << 1 | isLast
            for shift: UInt32 in [0, 8, 16] {
                bytes.append(UInt8(truncatingIfNeeded: header >> shift))
            }
            bytes.append(0)
        }
        return bytes
    }

    /// 256 MiB of zeros in 421 bytes of brotli: a head, the same 16 MiB over and over, an end.
    static let brotli = Samples.bytes(
        "y///P/gnAOKxQCD3/o/" + repeatedBlocks
    )

    private static let repeatedBlocks = """
        //3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje\
        //H//w/+CYA4LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMC\
        AN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/j//8f/BMA\
        cVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+D\
        fwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o//\
        /3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje\
        //H//w/+CYA4LADQvf/j//8f/BMAcVgAoHv/Nw==
        """
}
