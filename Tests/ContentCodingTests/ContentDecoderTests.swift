import ProxydContentCoding
import Testing

@Suite struct ContentDecoderTests {
    private func decode(
        _ bytes: [UInt8],
        _ contentEncoding: String,
        limits: DecodingLimits = DecodingLimits()
    ) -> DecodedContent {
        ContentDecoder.decode(bytes.span, contentEncoding: contentEncoding, limits: limits)
    }

    private static let samples: [(String, [UInt8])] = [
        ("gzip", Samples.gzip), ("X-GZIP", Samples.gzip), ("deflate", Samples.zlib),
        ("deflate", Samples.rawDeflate), ("br", Samples.brotli), ("zstd", Samples.zstd),
        ("identity", Samples.text), ("", Samples.text), (" , identity,", Samples.text),
        ("gzip, br, zstd", Samples.stacked), ("gzip ,identity, br,\tzstd", Samples.stacked),
    ]

    @Test(arguments: samples)
    func `content encoded with gzip, deflate, brotli, zstd or several of them is decoded`(
        contentEncoding: String, bytes: [UInt8]
    ) {
        let decoded = decode(bytes, contentEncoding)
        #expect(decoded.bytes == Samples.text)
        #expect(decoded.failure == nil)
    }

    @Test(arguments: samples)
    func `content is decoded the same however the input is split`(
        contentEncoding: String,
        bytes: [UInt8]
    ) throws {
        for size in 1...bytes.count {
            let decoder = try ContentDecoder(contentEncoding: contentEncoding)
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = bytes.span.extracting(start..<min(start + size, bytes.count))
                try decoder.decode(piece, into: &output)
            }
            try decoder.finish()
            #expect(output == Samples.text, "pieces of \(size)")
            #expect(decoder.decodedByteCount == Samples.text.count)
        }
    }

    @Test(arguments: samples)
    func `truncated content is reported, and what was decoded before is kept`(
        contentEncoding: String,
        bytes: [UInt8]
    ) {
        // The first byte of a zlib stream is an `x`, like a body that is not coded.
        for count in 0..<bytes.count where !(bytes == Samples.zlib && count == 1) {
            let decoded = decode(Array(bytes.prefix(count)), contentEncoding)
            #expect(Samples.text.starts(with: decoded.bytes))
            guard bytes != Samples.text, count > 0 else { continue }
            guard case .truncatedInput = decoded.failure else {
                Issue.record(
                    "\(count) bytes of \(contentEncoding): \(String(describing: decoded))"
                )
                continue
            }
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd", "gzip, br"])
    func `an empty body is complete in every content coding`(contentEncoding: String) {
        #expect(decode([], contentEncoding).failure == nil)
    }

    @Test func `a sequence of gzip members or zstd frames is decoded as a whole`() {
        #expect(decode(Samples.gzip + Samples.gzip, "gzip").bytes == Samples.text + Samples.text)
        #expect(decode(Samples.zstd + Samples.zstd, "zstd").bytes == Samples.text + Samples.text)
    }

    @Test func `bytes after a complete gzip, deflate or brotli stream are ignored`() {
        for (coding, bytes) in [
            ("gzip", Samples.gzip), ("deflate", Samples.zlib), ("br", Samples.brotli),
        ] {
            let decoded = decode(bytes + [0, 0, 0] + Array("rubbish".utf8), coding)
            #expect(decoded.bytes == Samples.text)
            #expect(decoded.failure == nil)
        }
    }

    @Test func `corrupt content is reported, and what was decoded before is kept`() {
        #expect(
            decode([0x1F, 0x8B] + Array("not gzip".utf8), "gzip").failure == .corruptInput(.gzip))
        #expect(
            decode([0x28, 0xB5, 0x2F, 0xFD, 0x08] + Samples.zstd, "zstd").failure
                == .corruptInput(.zstd))
        var badChecksum = Samples.gzip
        badChecksum[badChecksum.count - 8] ^= 1
        let decoded = decode(badChecksum, "gzip")
        #expect(decoded.bytes == Samples.text)
        #expect(decoded.failure == .corruptInput(.gzip))
    }

    @Test func `zstd frames of versions before 1 are not decoded, even after a valid frame`() {
        let ending: [UInt8] = [0xB5, 0x2F, 0xFD, 0x00, 0x1F, 0x09, 0x00]
        for first in [0x1E] + Array(UInt8(0x22)...0x27) {
            #expect(decode([first] + ending, "zstd").remark == .absent(.zstd))
            let second = decode(Samples.zstd + [first] + ending, "zstd")
            #expect(second.failure == .corruptInput(.zstd))
            #expect(second.bytes == Samples.text)
        }
    }

    @Test func `skippable zstd frames are skipped`() {
        let skippable: [UInt8] = [0x5F, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 0x25, 0xB5]
        let decoded = decode(skippable + Samples.zstd + skippable, "zstd")
        #expect(decoded.bytes == Samples.text)
        #expect(decoded.failure == nil)
    }

    @Test func `more content codings than the limit allows are rejected without decoding`() {
        let decoded = decode(Samples.text, "gzip, gzip, gzip, gzip")
        #expect(decoded.failure == .tooManyLayers(count: 4))
        #expect(
            decode(Samples.gzip, "gzip", limits: DecodingLimits(layerCountMax: 0)).failure != nil
        )
    }

    @Test func `after an error, every further call of the content decoder fails`() throws {
        let decoder = try ContentDecoder([.gzip])
        var output: [UInt8] = []
        let rubbish = Array("rubbish".utf8)
        let gzip = Samples.gzip
        #expect(throws: ContentCodingError.self) {
            try decoder.decode(rubbish.span, into: &output)
        }
        #expect(throws: ContentCodingError.self) {
            try decoder.decode(gzip.span, into: &output)
        }
        #expect(throws: ContentCodingError.self) { try decoder.finish() }
        #expect(output.isEmpty)
    }

    @Test func `randomly damaged content never crashes the content decoder`() {
        var state: UInt64 = 7
        for _ in 0..<2_000 {
            var bytes = Samples.stacked
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int((state >> 33) % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: state >> 57
                )
            }
            for coding in ["zstd", "gzip, br, zstd", "br", "deflate"] { _ = decode(bytes, coding) }
        }
    }
}
