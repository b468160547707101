import ProxydCharsets
import Testing

@Suite struct CharsetTests {
    private func text(_ bytes: [UInt8], _ label: String?) -> String {
        TextCharset(of: bytes.span, label: label).decode(bytes.span).text
    }

    @Test(
        arguments: [
            ("utf-8", [0xC3, 0xA9], "é"), ("UTF8", [0xC3, 0xA9], "é"), ("\"utf-8\"", [0x61], "a"),
            ("iso-8859-1", [0xE9, 0x80], "é€"), ("us-ascii", [0x61], "a"),
            ("Windows-1252", [0x93, 0x94, 0x81], "\u{201C}\u{201D}\u{81}"),
            ("utf-16le", [0x61, 0, 0x3D, 0xD8, 0, 0xDE], "a😀"), ("utf-16be", [0, 0x61], "a"),
            ("utf-16", [0xFE, 0xFF, 0, 0x61], "a"), ("utf-16", [0x61, 0], "a"),
            ("utf-32be", [0, 1, 0xF6, 0], "😀"), ("utf-32", [0x61, 0, 0, 0], "a"),
            ("gbk", [0xC4, 0xE3, 0x80], "你€"), ("GB2312", [0xC4, 0xE3], "你"),
            ("gb18030", [0x81, 0x30, 0x81, 0x30, 0x90, 0x30, 0x81, 0x30], "\u{80}𐀀"),
            ("shift_jis", [0x93, 0xFA, 0xB1], "日ｱ"), ("euc-jp", [0xC6, 0xFC, 0x8E, 0xB1], "日ｱ"),
            ("euc-jp", [0x8F, 0xB0, 0xA1], "丂"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x61], "日a"),
            ("iso-2022-jp", [0x1B, 0x28, 0x4A, 0x5C, 0x7E], "¥‾"),
            ("koi8-r", [0xC1], "а"), ("windows-1251", [0xC0], "А"), ("iso-8859-2", [0xB1], "ą"),
            ("iso-8859-15", [0xA4], "€"), ("ibm866", [0x80], "А"), ("macintosh", [0xCA], "\u{A0}"),
            ("big5", [0xA7, 0x41], "你"), ("big5", [0x88, 0x62], "Ê\u{304}"),
            ("euc-kr", [0xB3, 0xCA], "너"), ("iso-8859-8-i", [0xE0], "א"),
            ("x-user-defined", [0x61, 0x80], "a\u{F780}"),
        ] as [(String, [UInt8], String)]
    )
    func `text is decoded in its declared charset`(label: String, bytes: [UInt8], expected: String)
    {
        let charset = TextCharset(of: bytes.span, label: label)
        #expect(charset.decode(bytes.span).text == expected)
        #expect(!charset.decode(bytes.span).isLossy)
    }

    @Test
    func `charset labels are recognized in upper and lower case, in quotes and with white space`() {
        for label in ["EUC-JP", " euc-jp\t", "'x-euc-jp'", "cseucpkdfmtjapanese"] {
            #expect(Charset(label: label) == .eucJP, "\(label)")
        }
        for label in ["", "utf-7", "unicode-1-1-utf-7", "utf8mb4", "utf-8,utf-8", "x.y"] {
            #expect(Charset(label: label) == nil, "\(label)")
        }
        #expect(Charset(label: String(repeating: "a", count: 1 << 20)) == nil)
    }

    @Test func `a body in a charset that can hide scripts is decoded as one replacement character`()
    {
        for label in ["hz-gb-2312", "iso-2022-kr", "iso-2022-cn", "replacement"] {
            #expect(text([0x61, 0x62], label) == "\u{FFFD}", "\(label)")
            #expect(text([], label) == "", "\(label)")
        }
    }

    @Test(
        arguments: [
            ("shift_jis", [0x93, 0x22], "\u{FFFD}\""), ("shift_jis", [0x93], "\u{FFFD}"),
            ("shift_jis", [0xA0], "\u{FFFD}"), ("euc-kr", [0xFF, 0x61], "\u{FFFD}a"),
            ("euc-jp", [0x8F, 0xA1, 0x61], "\u{FFFD}a"), ("big5", [0x81, 0x40], "\u{FFFD}@"),
            ("gb18030", [0x81, 0x30, 0x61], "\u{FFFD}0a"),
            ("gb18030", [0x81, 0x30, 0x81], "\u{FFFD}"),
            ("gb18030", [0xFE, 0x39, 0xFE, 0x39], "\u{FFFD}"),
            ("iso-2022-jp", [0x1B, 0x61], "\u{FFFD}a"), ("iso-2022-jp", [0x0E], "\u{FFFD}"),
            ("iso-2022-jp", [0x1B, 0x28, 0x42, 0x1B, 0x28, 0x42], "\u{FFFD}"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x1B, 0x28, 0x42], "\u{FFFD}"),
            ("windows-1257", [0xA1], "\u{FFFD}"), ("utf-16le", [0, 0xD8, 0x61, 0], "\u{FFFD}a"),
            ("utf-16le", [0x61, 0, 0x62], "a\u{FFFD}"), ("utf-32le", [0, 0xD8, 0, 0], "\u{FFFD}"),
            ("utf-8", [0x61, 0xFF], "a\u{FFFD}"), ("utf-8", [0xE3, 0x81, 0x61], "\u{FFFD}a"),
            ("utf-8", [0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ] as [(String, [UInt8], String)]
    )
    func `invalid bytes are decoded as U+FFFD, and ASCII after them is kept`(
        label: String, bytes: [UInt8], expected: String
    ) {
        let decoded = TextCharset(of: bytes.span, label: label).decode(bytes.span)
        #expect(decoded.text == expected)
        #expect(decoded.isLossy)
    }

    @Test
    func `an incomplete character at the end of a truncated body is left out in every charset`() {
        for charset in Charset.allCases where charset != .replacement {
            guard let bytes = try? charset.encode("a日") else { continue }
            for count in 0..<bytes.count {
                let cut = bytes.prefix(count)
                let decoded = charset.decode(cut.span, isTruncated: true)
                #expect(["", "a", "a日"].contains(decoded.text), "\(charset) \(count)")
                #expect(!decoded.isLossy, "\(charset) \(count)")
            }
        }
        let invalid = Charset.utf8.decode([0xFF, 0x80].span, isTruncated: true)
        #expect(invalid.isLossy)
    }

    @Test func `every byte that is a character in its charset is encoded back to the same byte`()
        throws
    {
        for charset in Charset.allCases where charset.unitByteCount == 1 {
            for byte in UInt8(0)...0xFF {
                let decoded = charset.decode([byte].span)
                // GB 18030 has another form of the euro sign; an escape is no character.
                let isOther = charset == .gb18030 && byte == 0x80 || byte == 0x1B
                guard !decoded.isLossy, !decoded.text.isEmpty, !isOther else { continue }
                #expect(try charset.encode(decoded.text) == [byte], "\(charset) \(byte)")
            }
        }
    }

    @Test(
        arguments: [
            (.shiftJIS, "日ｱ¥‾−", [0x93, 0xFA, 0xB1, 0x5C, 0x7E, 0x81, 0x7C]),
            (.eucJP, "日ｱ¥−", [0xC6, 0xFC, 0x8E, 0xB1, 0x5C, 0xA1, 0xDD]),
            (
                .iso2022JP, "a日ｱ¥\\",
                [0x61, 0x1B, 0x24, 0x42, 0x46, 0x7C, 0x25, 0x22, 0x1B, 0x28, 0x4A, 0x5C]
                    + [0x1B, 0x28, 0x42, 0x5C]
            ),
            (.gbk, "€", [0x80]), (.gb18030, "€", [0xA2, 0xE3]),
            (.gb18030, "\u{80}", [0x81, 0x30, 0x81, 0x30]),
            (.gb18030, "\u{E7C7}", [0x81, 0x35, 0xF4, 0x37]),
            (.gb18030, "\u{E81E}", [0xFE, 0x59]), (.big5, "═", [0xF9, 0xF9]),
            (.utf16BigEndian, "a😀", [0, 0x61, 0xD8, 0x3D, 0xDE, 0]),
        ] as [(Charset, String, [UInt8])]
    )
    func `characters with several encodings are encoded as the Encoding Standard requires`(
        charset: Charset, text: String, bytes: [UInt8]
    ) throws {
        #expect(try charset.encode(text) == bytes)
    }

    @Test func `a character that a charset cannot encode is named in the error`() {
        let error = #expect(throws: UnencodableCharacter.self) {
            try Charset.windows1251.encode("Да é")
        }
        #expect(error?.character == "é")
        #expect(error.map { "\($0)" } == "windows-1251 has no U+00E9")
        for charset in [Charset.gbk, .shiftJIS, .eucJP, .big5, .eucKR, .iso2022JP] {
            #expect(throws: UnencodableCharacter.self) { try charset.encode("😀") }
        }
    }

    @Test func `a long Shift_JIS text is decoded completely`() {
        let bytes = (0..<50_000).flatMap { _ in [0x93, 0xFA] as [UInt8] }
        #expect(text(bytes, "shift_jis") == String(repeating: "日", count: 50_000))
    }
}
