import ProxydContentCoding
import Testing

/// Bodies that are not in the coding that Content-Encoding names.
@Suite struct ForeignContentTests {
    private static let json = Array(#"{"a":1,"t":"hello"}"#.utf8)
    private static let texts = [
        #"{"a":1,"t":"hello"}"#, "[1,2]", "hello", "<!doctype html><p>x</p>", "a=1&b=2", "ab", "(x",
        "x^2 + y^2", "Привет, мир", "The quick brown fox", "123", "\r\n", "-", "GIF89a", "P1 2 3",
    ]

    private func decode(_ bytes: [UInt8], _ codings: String) -> DecodedContent {
        ContentDecoder.decode(bytes.span, contentEncoding: codings)
    }

    @Test(arguments: ["utf-8", "none", "binary", "compress", "*", "UTF-8, none", "é"])
    func `a body with an unknown content coding is left unchanged`(coding: String) {
        let decoded = decode(ForeignContentTests.json, coding)
        #expect(decoded.bytes == ForeignContentTests.json)
        #expect(decoded.failure == nil)
        #expect(decoded.removed == [])
        #expect(
            decoded.remark?.description
                == "the content coding is not known: the bytes are as they came")
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd", "aws-chunked"])
    func `a text body that is not in its declared content coding is left unchanged`(name: String)
        throws
    {
        let coding = try #require(Coding(token: name))
        for text in ForeignContentTests.texts {
            let decoded = decode(Array(text.utf8), name)
            #expect(decoded.bytes == Array(text.utf8), "\(text)")
            #expect(decoded.failure == nil, "\(text)")
            #expect(decoded.remark == .absent(coding), "\(text)")
        }
    }

    @Test(arguments: ["deflate", "br"])
    func `a binary body whose decoding fails at the first byte is left unchanged`(coding: String) {
        let decoded = decode([0xFF, 0xFF, 0xFF], coding)
        #expect(decoded.bytes == [0xFF, 0xFF, 0xFF])
        #expect(decoded.failure == nil)
        #expect(decoded.remark != nil)
    }

    @Test func `a short deflate stream that looks like text is still decoded`() {
        // A block of fixed codes that contains nothing but "-5k" is written like this.
        let short = decode([0xD3, 0x35, 0xCD, 0x06, 0x00], "deflate")
        #expect(short.remark == nil)
        #expect(decode(Array("K\u{4}\u{0}".utf8), "deflate").bytes == Array("a".utf8))
    }

    @Test
    func `of several declared content codings, only those that are really present are removed`() {
        let gzip = decode(Samples.gzip, "gzip, utf-8")
        #expect(gzip.bytes == Samples.text)
        #expect(gzip.remark == .unknown("utf-8"))
        #expect(gzip.removed == [.gzip])
        let once = decode(Samples.gzip, "gzip, gzip")
        #expect(once.bytes == Samples.text)
        #expect(once.remark == .absent(.gzip))
        #expect(once.removed == [.gzip])
        let none = decode(ForeignContentTests.json, "zstd, utf-8, gzip")
        #expect(none.bytes == ForeignContentTests.json)
        #expect(none.remark == .absent(.gzip))
        #expect(none.removed == [])
    }

    @Test(arguments: [
        "gzip", "deflate", "br", "zstd", "aws-chunked", "utf-8", "gzip, br", "zstd, gzip",
    ])
    func `a body that lacks its declared content coding is read the same however it is split`(
        codings: String
    ) throws {
        let more = [
            String(repeating: "long text ", count: 2_000), "Optional text\u{0}\u{1}\u{7F}, no text",
        ]
        for text in ForeignContentTests.texts + more {
            let bytes = Array(text.utf8)
            let whole = decode(bytes, codings)
            for size in [1, 2, 3, 7, 5_000] {
                let decoder = try ContentDecoder(contentEncoding: codings)
                var output: [UInt8] = []
                var failure: ContentCodingError?
                do throws(ContentCodingError) {
                    for start in stride(from: 0, to: bytes.count, by: size) {
                        let end = min(start + size, bytes.count)
                        try decoder.decode(bytes.span.extracting(start..<end), into: &output)
                    }
                    try decoder.finish(into: &output)
                } catch {
                    failure = error
                }
                #expect(output.elementsEqual(whole.bytes), "\(text.prefix(9)) in pieces of \(size)")
                #expect(failure == whole.failure)
                #expect(decoder.remark == whole.remark)
            }
        }
    }

    @Test(arguments: [("gzip", Samples.gzip), ("deflate", Samples.zlib), ("zstd", Samples.zstd)])
    func `a damaged compressed body is not mistaken for an uncompressed one`(
        coding: String, bytes: [UInt8]
    ) {
        for index in bytes.count / 2..<bytes.count {
            var damaged = bytes
            damaged[index] ^= 0xFF
            #expect(decode(damaged, coding).remark == nil, "at \(index)")
        }
        #expect(decode(Array(bytes.dropLast(3)), coding).remark == nil)
    }

    @Test func `brotli output before a decoding error is kept`() {
        let text = Samples.text
        // An uncompressed block, and rubbish instead of the next.
        let count = UInt32(text.count - 1)
        let head = 0b0 | count << 4 | 1 << 20
        let block = [UInt8(head & 0xFF), UInt8(head >> 8 & 0xFF), UInt8(head >> 16 & 0xFF)] + text
        let decoded = decode(block + [0xFF, 0xFF, 0xFF, 0xFF], "br")
        #expect(decoded.bytes == text)
        #expect(decoded.failure == .corruptInput(.brotli))
    }

    @Test
    func `decoding with explicitly chosen codings fails if the body is not encoded with them`()
        throws
    {
        let decoder = try ContentDecoder([.gzip])
        var output: [UInt8] = []
        let json = ForeignContentTests.json
        #expect(throws: ContentCodingError.corruptInput(.gzip)) {
            try decoder.decode(json.span, into: &output)
        }
        #expect(throws: ContentCodingError.unsupportedCoding("utf-8")) {
            _ = try Coding.list("utf-8")
        }
    }
}
