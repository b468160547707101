import ProxydCharsets
import Testing

@Suite struct TextCharsetTests {
    private func charset(
        _ bytes: [UInt8], _ label: String? = nil, _ syntax: DocumentSyntax = .plain,
        isTruncated: Bool = false
    ) -> TextCharset {
        TextCharset(of: bytes.span, label: label, syntax: syntax, isTruncated: isTruncated)
    }

    private func html(_ text: String) -> Charset? {
        let known = charset(Array(text.utf8), nil, .html)
        return known.origin == .document ? known.charset : nil
    }

    @Test func `a byte order mark overrides the declared charset and is not part of the text`() {
        for (bytes, label) in [
            ([0xEF, 0xBB, 0xBF, 0x61], "iso-8859-1"), ([0xFF, 0xFE, 0x61, 0], "utf-8"),
            ([0xFE, 0xFF, 0, 0x61], nil), ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "utf-32"),
            ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "utf-32"),
        ] as [([UInt8], String?)] {
            let known = charset(bytes, label)
            #expect(known.origin == .byteOrderMark)
            #expect(known.decode(bytes.span).text == "a")
            #expect(known.utf8(of: bytes) == [0x61])
        }
        #expect(charset([0xEF, 0xBB]).origin != .byteOrderMark)
    }

    @Test
    func `text without a declared charset is read as UTF-8 if valid, else as windows-1252`() {
        #expect(charset([]).origin == .validUTF8)
        #expect(charset(Array("日本".utf8)).origin == .validUTF8)
        #expect(charset(Array("日本".utf8), "utf8mb4").origin == .validUTF8)
        #expect(charset([0xE9]).charset == .windows1252)
        #expect(!charset([0xE9]).isKnown)
        #expect(!charset([0xE9], "x-unheard-of").isKnown)
    }

    @Test func `text that is truncated within a character is still recognized as UTF-8`() {
        let bytes = Array("aé日😀".utf8)
        for count in 0...bytes.count {
            let known = charset(Array(bytes.prefix(count)), isTruncated: true)
            #expect(known.origin == .validUTF8, "\(count)")
        }
        #expect(!charset([0x80, 0x80], isTruncated: true).isKnown)
        #expect(!charset([0xE9, 0x61], isTruncated: true).isKnown)
    }

    @Test func `JSON in UTF-16 or UTF-32 is recognized by its bytes`() throws {
        for wide in [
            Charset.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
        ] {
            for text in ["{\"t\":\"日\"}", "1", "[]"] {
                let known = charset(try wide.encode(text), "utf-8", .json)
                #expect(known.charset == wide, "\(text)")
                #expect(known.origin == .codeUnits)
            }
        }
        #expect(charset(Array("{\"t\":\"é\"}".utf8), nil, .json).charset == .utf8)
    }

    @Test(
        arguments: [
            ("<meta charset=gbk>", .gbk), ("<!DOCTYPE html><META Charset = 'euc-jp' >", .eucJP),
            ("<html lang=ja><head><meta charset=\"shift_jis\"/>", .shiftJIS),
            (
                "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>",
                .windows1251
            ),
            ("<meta content=\"text/html;charset=big5\" http-equiv=content-type>", .big5),
            ("<!-- <meta charset=gbk> --><meta charset=koi8-r>", .koi8r),
            ("<a title='<meta charset=gbk>'></a><meta charset=koi8-r>", .koi8r),
            ("<meta charset=utf-16le>", .utf8), ("<meta charset=x-user-defined>", .windows1252),
            ("<?xml version='1.0' encoding='euc-kr'?><html>", .eucKR),
            ("<meta charset=nonsense><meta charset=gbk>", .gbk),
        ] as [(String, Charset)]
    )
    func `the charset of an HTML document is read from its meta element or XML declaration`(
        text: String, expected: Charset
    ) {
        #expect(html(text) == expected)
    }

    @Test(
        arguments: [
            "<meta name=charset content=gbk>", "<metadata charset=gbk>", "<!-- <meta charset=gbk>",
            "<meta content='text/html; charset=gbk'>", "<p>charset=gbk</p>", "<meta charset", "<",
            "<meta http-equiv=content-type content='charset'>", "<meta =", "</", "<!", "<meta ",
            String(repeating: " ", count: 1024) + "<meta charset=gbk>",
        ])
    func `HTML that only resembles a charset declaration is ignored`(text: String) {
        #expect(html(text) == nil)
    }

    @Test func `the declared charset of an HTML document takes precedence over its meta element`() {
        let page = Array("<meta charset=gbk>".utf8)
        #expect(charset(page, "euc-kr", .html).charset == .eucKR)
        #expect(charset(page, "nonsense", .html).charset == .gbk)
    }

    @Test func `the charset of XML and CSS is read from the document`() throws {
        func charset(_ text: String, _ syntax: DocumentSyntax) -> Charset {
            self.charset(Array(text.utf8) + [0xFF], nil, syntax).charset
        }
        #expect(charset("<?xml version=\"1.0\" encoding=\"windows-1251\"?>", .xml) == .windows1251)
        #expect(charset("<?xml encoding = 'koi8-u' ?>", .xml) == .koi8u)
        #expect(charset("<?xml version='1.0'?><a encoding='koi8-u'/>", .xml) == .windows1252)
        #expect(charset("@charset \"gbk\";", .css) == .gbk)
        #expect(charset("@charset 'gbk';", .css) == .windows1252)
        let wide = try Charset.utf16BigEndian.encode("<?xml version='1.0'?>")
        #expect(self.charset(wide, nil, .xml).charset == .utf16BigEndian)
    }

    @Test(
        arguments: [
            (.shiftJIS, "ab", "a語b"), (.windows1251, "q=Пр", "q=Да"),
            (.utf16LittleEndian, "é", "日"),
            (.iso2022JP, "日本", "日a本"), (.eucKR, "", "한"), (.gb18030, "你好", ""),
            (.utf8, "日", "日本"), (.big5, "你你你", "你你"),
        ] as [(Charset, String, String)]
    )
    func `an edited text is encoded in its original charset`(
        charset: Charset, before: String, after: String
    ) throws {
        let bytes = try charset.encode(before)
        let edited = try TextCharset(charset).encode(Array(after.utf8), inPlaceOf: bytes)
        #expect(edited == (try charset.encode(after)))
    }

    @Test func `editing a text keeps the original bytes of the unchanged parts`() throws {
        // Shift_JIS has NEC's "∵" and IBM's, and bytes that mean nothing.
        let bytes: [UInt8] = [0x87, 0x9A, 0x61, 0xFA, 0x5B, 0xFF]
        let charset = TextCharset(.shiftJIS)
        var text = charset.utf8(of: bytes)
        let index = try #require(text.firstIndex(of: 0x61))
        text.replaceSubrange(index...index, with: Array("語".utf8))
        let edited = try charset.encode(text, inPlaceOf: bytes)
        #expect(edited == [0x87, 0x9A, 0x8C, 0xEA, 0xFA, 0x5B, 0xFF])
        #expect(try charset.encode(charset.utf8(of: bytes), inPlaceOf: bytes) == bytes)
    }

    @Test(
        arguments: [
            (.shiftJIS, [0xFA, 0x5B, 0xFF]), (.big5, [0x88, 0x62, 0x87, 0x40]),
            (.eucJP, [0x8F, 0xB0, 0xA1]), (.windows1253, [0xD2]),
            (.utf16LittleEndian, [0x00, 0xD8, 0x61, 0x00]),
            // Half-width Katakana.
            (.iso2022JP, [0x1B, 0x28, 0x49, 0x31, 0x32, 0x1B, 0x28, 0x42]),
        ] as [(Charset, [UInt8])])
    func `text between two edits keeps its original bytes`(
        _ charset: Charset, _ between: [UInt8]
    ) throws {
        let (a, b) = (try charset.encode("a\n"), try charset.encode("b\n"))
        let bytes = a + between + a
        let known = TextCharset(charset)
        let text = known.utf8(of: bytes)
        let edits = [
            TextChange(0..<1, to: [0x62]), TextChange(text.count - 2..<text.count - 1, to: [0x62]),
        ]
        let edited = edits[0].text + text[1..<text.count - 2] + [0x62, 0x0A]
        #expect(
            try known.encode(edited, inPlaceOf: bytes, changes: edits) == b + between + b)
        // The last line has both: its changes are not known, but those of the first line are.
        var once = text
        once[0] = 0x62
        #expect(try known.encode(once, inPlaceOf: bytes) == b + between + a)
    }

    @Test func `an ISO-2022-JP text is still decoded correctly after an edit within it`() throws {
        // 日本語 with another word in place of 本, then of all, then of nothing.
        let bytes: [UInt8] =
            [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x38, 0x6C, 0x1B, 0x28, 0x42, 0x61]
        let known = TextCharset(.iso2022JP)
        for edited in ["日x語a", "x語a", "日xa", "日語a", "日本語b", "日本ｱa", "", "日¥語a", "日本語"] {
            let coded = try known.encode(Array(edited.utf8), inPlaceOf: bytes)
            let decoded = known.decode(coded.span)
            #expect(!decoded.isLossy && decoded.text == edited.replacing("ｱ", with: "ア"))
        }
    }

    @Test func `an edit next to a Big5 code that encodes two characters keeps the code's bytes`()
        throws
    {
        let bytes: [UInt8] = [0x88, 0x62, 0x61]
        let charset = TextCharset(.big5)
        #expect(
            try charset.encode(Array("Ê\u{304}b".utf8), inPlaceOf: bytes) == [0x88, 0x62, 0x62])
        #expect(throws: UnencodableCharacter.self) {
            try charset.encode(Array("Êa".utf8), inPlaceOf: bytes)
        }
    }

    @Test func `an edited text keeps its byte order mark`() throws {
        let bytes: [UInt8] = [0xFF, 0xFE, 0x61, 0]
        let known = charset(bytes)
        #expect(try known.encode(Array("b".utf8), inPlaceOf: bytes) == [0xFF, 0xFE, 0x62, 0])
        let utf8: [UInt8] = [0xEF, 0xBB, 0xBF, 0x61]
        #expect(
            try charset(utf8).encode(Array("b".utf8), inPlaceOf: utf8)
                == [0xEF, 0xBB, 0xBF, 0x62])
    }
}

/// The quick looks at bytes agree with slow ones, wherever the odd byte is.
struct QuickLookTests {
    @Test func `text with a NUL, an escape or a byte above 0x7F is not recognized as plain ASCII`()
    {
        for size in 0...20 {
            let plain = [UInt8](repeating: 0x61, count: size)
            let isPlain = PlainASCII.holds(for: plain.span)
            #expect(isPlain)
            for (place, byte) in (0..<size).flatMap({ index in (0...255).map { (index, $0) } }) {
                var bytes = plain
                bytes[place] = UInt8(byte)
                let isPlain = PlainASCII.holds(for: bytes.span)
                #expect(isPlain == (byte != 0 && byte != 0x1B && byte < 0x80))
            }
        }
    }

    @Test func `text without a charset label is UTF-8 only if all of it is valid`() {
        let pieces: [[UInt8]] = [
            [0x61], [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80], [0x80],
            [0xC0, 0xAF],
            [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3], [0xE2, 0x82],
            Array("eight bytes and more of ASCII".utf8),
        ]
        for (one, two) in pieces.flatMap({ one in pieces.map { (one, $0) } }) {
            let bytes = one + two
            let origin = TextCharset(of: bytes.span).origin
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect((origin == .validUTF8) == isValid, "\(bytes)")
        }
    }
}
