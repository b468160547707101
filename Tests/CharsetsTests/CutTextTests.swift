import ProxydCharsets
import Testing

/// Texts that are cut or marked.
@Suite struct CutTextTests {
    private func decode(
        _ bytes: [UInt8], _ label: String?, isTruncated: Bool = false
    ) -> DecodedText {
        TextCharset(of: bytes.span, label: label, isTruncated: isTruncated)
            .decode(bytes.span, isTruncated: isTruncated)
    }

    @Test func `truncated UTF-8 is decoded up to its last complete character`() {
        let text = "a\u{E9}\u{20AC}\u{1F600}z"
        let bytes = Array(text.utf8)
        for end in 0...bytes.count {
            let start = Array(bytes[..<end])
            let decoded = decode(start, "utf-8", isTruncated: true)
            #expect(!decoded.isLossy && text.hasPrefix(decoded.text))
            #expect(end - decoded.text.utf8.count < 4)
            // As a whole body, it has a character that is broken.
            let whole = decode(start, "utf-8")
            #expect(whole.isLossy == (decoded.text.utf8.count < end))
        }
    }

    @Test(arguments: ["utf-16le", "utf-16be"])
    func `truncated UTF-16 is decoded up to its last complete character`(_ label: String) {
        let text = "a\u{1F600}\u{20AC}"
        let bytes = text.utf16.flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return label.hasSuffix("be") ? pair : pair.reversed()
        }
        let wanted = ["", "", "a", "a", "a", "a", "a\u{1F600}", "a\u{1F600}", text]
        for (end, start) in wanted.enumerated() {
            let cut = Array(bytes[..<end])
            let decoded = decode(cut, label, isTruncated: true)
            #expect(decoded.text == start && !decoded.isLossy, "\(end)")
            let whole = decode(cut, label)
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
    func `a complete byte order mark overrides any declared charset`(
        _ bytes: [UInt8], _ label: String?, _ wanted: String
    ) {
        let decoded = decode(bytes, label)
        #expect(decoded.text == wanted && !decoded.isLossy)
    }
}

struct TextSplitTests {
    @Test func `UTF-8 is split before an incomplete character, but not before invalid bytes`() {
        let text = Array("aé€😀z".utf8)
        let ends: Set = [0, 1, 3, 6, 10, 11]
        for count in 0...text.count {
            let start = Array(text[..<count])
            let split = Charset.utf8.split(start.span)
            #expect(split.byteCount == (0...count).last { ends.contains($0) })
        }
        for invalid: [UInt8] in [[0x61, 0x80, 0x80, 0x80], [0x61, 0xFF], [0xE2, 0x41], [0x80]] {
            let split = Charset.utf8.split(invalid.span)
            #expect(split.byteCount == invalid.count && split.escape.isEmpty)
        }
    }
}
