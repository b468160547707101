import Foundation
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
    func `truncated content is reported, and the part decoded up to there is kept`(
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

    @Test func `corrupt content is reported, and the part decoded up to there is kept`() {
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

/// Values of Content-Encoding.
@Suite struct CodingListTests {
    @Test(
        arguments: [
            ("", []), (" ,\t, ", []), ("identity", []), ("Identity,IDENTITY", []),
            ("gzip", [.gzip]),
            ("GZip\t,x-GZIP", [.gzip, .gzip]), (",deflate,,br,", [.deflate, .brotli]),
            ("zstd, identity, gzip", [.zstd, .gzip]), ("\tBR \t", [.brotli]),
            ("aws-chunked,gzip", [.gzip, .awsChunked]), ("gzip,AWS-Chunked", [.gzip, .awsChunked]),
        ] as [(String, [Coding])])
    func `Content-Encoding is parsed into codings in the order in which they were applied`(
        _ text: String, _ wanted: [Coding]
    ) throws {
        #expect(try Coding.list(text) == wanted)
    }

    @Test(arguments: [
        ("gzip, foo, bar", "foo"), ("*", "*"), ("compress", "compress"), ("gzip;q=1", "gzip;q=1"),
        ("\"gzip\"", "\"gzip\""), ("gzi\u{70}\u{301}", "gzi\u{70}\u{301}"), ("br2", "br2"),
        ("\u{212A}zstd", "\u{212A}zstd"), ("aws-chunked,utf-8", "utf-8"),
    ])
    func `the first unknown coding in Content-Encoding is named in the error`(
        _ text: String, _ name: String
    ) {
        let error = #expect(throws: ContentCodingError.self) { _ = try Coding.list(text) }
        guard case .unsupportedCoding(let found)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(found.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test(
        arguments: [
            ("gzip", [.gzip], nil), ("gzip, utf-8", [.gzip], "utf-8"), ("gzip, br", [], "gzip, br"),
            ("utf-8,x-gzip ,none", [.gzip], "utf-8, none"), ("", [], nil),
        ] as [(String, [Coding], String?)])
    func `content codings that were not removed stay in Content-Encoding`(
        _ text: String, _ removed: [Coding], _ left: String?
    ) {
        #expect(Coding.value(text, without: removed) == left)
    }
}

struct ContentEncoderTests {
    @Test(arguments: [ContentEncoder.Coding.gzip, .deflate], [0, 1, 65_536, 1_000_003])
    func `content encoded with gzip or deflate is decoded to the same bytes`(
        _ coding: ContentEncoder.Coding, count: Int
    ) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let coded = try ContentEncoder.encode(content.span, as: coding)
        let decoded = ContentDecoder.decode(coded.span, contentEncoding: coding.rawValue)
        #expect(decoded.bytes == content)
        #expect(decoded.failure == nil)
    }

    @Test func `the deflate encoder writes the zlib format, as Alamofire does`() throws {
        let content = Array("hello".utf8)
        let coded = try ContentEncoder.encode(content.span, as: .deflate)
        #expect(coded.first == 0x78)
    }
}

/// One text in every coding, as the usual compressors make it.
enum Samples {
    static let text = Array(
        (String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 20) + "äöü")
            .utf8
    )

    static let gzip = bytes(
        "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphIwqHlU8qpja",
        "ig8vObzt8B4AN6J/LYoDAAA="
    )
    static let zlib = bytes(
        "eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSMKh5VPKqY2ooPLzm87fAe",
        "AOmSR3s="
    )
    static let rawDeflate = bytes(
        "C8lIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stUigBSuckVlUqpOSn6ymEjCoeVTyqmNqKDy85vO3wHgA="
    )
    static let brotli = bytes(
        "G4kDiKyOdxizlZHdDiPvkdbDVGhlk9SWN8nM2BrEZS5vg5zh6amwN9iAA4cE8gcbwW/QaYXTPjxOlKbgCCfi",
        "Pg0eZA=="
    )
    static let zstd = bytes(
        "KLUv/QRo5QEANANUaGUgcXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXIgdGhlIGxhenkgZG9nLiDDpMO2w7wB",
        "AKUKK1UGU+FmMQ=="
    )
    /// gzip in brotli in zstd.
    static let stacked = bytes(
        "KLUv/QRooQIAiyeAH4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTk",
        "p+sphIwqHlU8qpjaig8vObzt8B4AN6J/LYoDAAADHyANOg=="
    )

    static func bytes(_ base64: String...) -> [UInt8] {
        Array(Data(base64Encoded: base64.joined()) ?? Data())
    }
}
