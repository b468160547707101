import ProxydContentCoding
import Testing

/// Values of Content-Encoding, and texts that are cut or marked.
@Suite struct CodingListTests {
    private func decode(
        _ bytes: [UInt8], _ label: String?, isTruncated: Bool = false
    ) -> DecodedText? {
        Charset.decode(bytes.span, label: label, isTruncated: isTruncated)
    }

    @Test(
        arguments: [
            ("", []), (" ,\t, ", []), ("identity", []), ("Identity,IDENTITY", []),
            ("gzip", [.gzip]),
            ("GZip\t,x-GZIP", [.gzip, .gzip]), (",deflate,,br,", [.deflate, .brotli]),
            ("zstd, identity, gzip", [.zstd, .gzip]), ("\tBR \t", [.brotli]),
        ] as [(String, [Coding])])
    func `codings are listed in the order in which they were applied`(
        _ text: String, _ wanted: [Coding]
    ) throws {
        #expect(try Coding.list(text) == wanted)
    }

    @Test(arguments: [
        ("gzip, foo, bar", "foo"), ("*", "*"), ("compress", "compress"), ("gzip;q=1", "gzip;q=1"),
        ("\"gzip\"", "\"gzip\""), ("gzi\u{70}\u{301}", "gzi\u{70}\u{301}"), ("br2", "br2"),
        ("\u{212A}zstd", "\u{212A}zstd"), ("aws-chunked,gzip", "aws-chunked"),
    ])
    func `the first coding that is not known is named`(_ text: String, _ name: String) {
        let error = #expect(throws: ContentCodingError.self) { _ = try Coding.list(text) }
        guard case .unsupportedCoding(let found)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(found.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test func `a start of UTF-8 is text up to its last whole character`() throws {
        let text = "a\u{E9}\u{20AC}\u{1F600}z"
        let bytes = Array(text.utf8)
        for end in 0...bytes.count {
            let start = Array(bytes[..<end])
            let decoded = try #require(
                decode(start, "utf-8", isTruncated: true))
            #expect(!decoded.isLossy && text.hasPrefix(decoded.text))
            #expect(end - decoded.text.utf8.count < 4)
            // As a whole body, it has a character that is broken.
            let whole = try #require(decode(start, "utf-8"))
            #expect(whole.isLossy == (decoded.text.utf8.count < end))
        }
    }

    @Test(arguments: ["utf-16le", "utf-16be"])
    func `a start of UTF-16 is text up to its last whole character`(_ label: String) throws {
        let text = "a\u{1F600}\u{20AC}"
        let bytes = text.utf16.flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return label.hasSuffix("be") ? pair : pair.reversed()
        }
        let wanted = ["", "", "a", "a", "a", "a", "a\u{1F600}", "a\u{1F600}", text]
        for (end, start) in wanted.enumerated() {
            let cut = Array(bytes[..<end])
            let decoded = try #require(decode(cut, label, isTruncated: true))
            #expect(decoded.text == start && !decoded.isLossy, "\(end)")
            let whole = try #require(decode(cut, label))
            #expect(whole.isLossy == (start.utf16.count * 2 < end), "\(end)")
        }
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0x61], "iso-8859-1", "a"),
            ([0xFF, 0xFE, 0x61, 0x00], "utf-8", "a"),
            ([0xFE, 0xFF, 0x00, 0x61], nil, "a"), ([0xEF, 0xBB, 0x61], "windows-1252", "ï»a"),
            ([0xFF, 0xFE], nil, ""), ([0xEF, 0xBB, 0xBF], "shift_jis", ""), ([0xFE], "latin1", "þ"),
            ([0x80, 0x9F], "us-ascii", "€Ÿ"), ([0x61, 0xFF, 0xFE], "latin1", "aÿþ"),
        ] as [([UInt8], String?, String)])
    func `a mark in front says what the text is, whatever is declared`(
        _ bytes: [UInt8], _ label: String?, _ wanted: String
    ) throws {
        let decoded = try #require(decode(bytes, label))
        #expect(decoded.text == wanted && !decoded.isLossy)
    }

    @Test(arguments: [
        ("\"UTF-8\"", Charset.utf8), (" 'utf8' ", .utf8), ("\tLatin1", .windows1252),
        ("ISO_8859-1", .windows1252), ("unicode", .utf16LittleEndian),
        ("UTF-16BE", .utf16BigEndian),
    ])
    func `a label is read in any letters and quotes`(_ label: String, _ charset: Charset) {
        #expect(Charset(label: label) == charset)
    }

    @Test(arguments: ["", " ", "\"\"", "utf-9", "utf-8x", "utf\u{2011}8", "\0", "../UTF-8//"])
    func `a label that means nothing is no charset`(_ label: String) {
        #expect(Charset(label: label) == nil)
        #expect(decode([0x61], label) == nil)
    }
}
