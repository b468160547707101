import ProxydContentCoding
import Testing

@Suite struct CharsetTests {
    private func decode(
        _ bytes: [UInt8],
        _ label: String?,
        isTruncated: Bool = false
    ) -> DecodedText? {
        Charset.decode(bytes.span, label: label, isTruncated: isTruncated)
    }

    private func text(_ bytes: [UInt8], _ label: String?) -> String? {
        decode(bytes, label)?.text
    }

    @Test(
        arguments: [
            ("utf-8", [0xC3, 0xA9], "é"), ("UTF8", [0xC3, 0xA9], "é"), ("\"utf-8\"", [0x61], "a"),
            ("iso-8859-1", [0xE9, 0x80], "é€"), ("us-ascii", [0x61], "a"),
            ("Windows-1252", [0x93, 0x94, 0x81], "\u{201C}\u{201D}\u{81}"),
            ("utf-16le", [0x61, 0, 0x3D, 0xD8, 0, 0xDE], "a😀"), ("utf-16be", [0, 0x61], "a"),
            ("utf-16", [0xFE, 0xFF, 0, 0x61], "a"), ("utf-16", [0x61, 0], "a"),
            ("gbk", [0xC4, 0xE3], "你"), ("GB2312", [0xC4, 0xE3], "你"),
            ("shift_jis", [0x93, 0xFA], "日"),
            ("koi8-r", [0xC1], "а"), ("windows-1251", [0xC0], "А"), ("iso-8859-2", [0xB1], "ą"),
            ("iso-8859-15", [0xA4], "€"), ("big5", [0xA7, 0x41], "你"),
            ("euc-kr", [0xB3, 0xCA], "너"),
        ] as [(String, [UInt8], String)]
    )
    func `declared charsets are decoded`(label: String, bytes: [UInt8], expected: String) {
        #expect(text(bytes, label) == expected)
    }

    @Test func `every label that is known can be decoded`() {
        for label in [
            "windows-1250", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
            "windows-1257", "windows-1258", "iso-8859-3", "iso-8859-4", "iso-8859-5",
            "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-9", "iso-8859-10",
            "iso-8859-13", "iso-8859-14", "iso-8859-16", "windows-874", "koi8-u", "macintosh",
        ] {
            #expect(text([0x61], label) == "a", "\(label)")
        }
        #expect(text([0x61, 0, 0, 0], "utf-32le") == "a")
    }

    @Test func `text in Windows-1252 is encoded as it is decoded`() {
        let bytes = [UInt8](0...255)
        let text = Charset.text(bytes, label: "windows-1252")
        #expect(text.flatMap(Charset.windows1252Bytes) == bytes)
        #expect(Charset.windows1252Bytes(of: "日") == nil)
    }

    @Test func `bytes without a meaning in an old charset are no text`() {
        #expect(text([0x81], "windows-1257") == nil)
        #expect(text([0x93], "shift_jis") == nil)
        #expect(text([], "shift_jis") == "")
    }

    @Test func `long texts in old charsets are decoded whole`() {
        let bytes = (0..<50_000).flatMap { _ in [0x93, 0xFA] as [UInt8] }
        #expect(text(bytes, "shift_jis") == String(repeating: "日", count: 50_000))
    }

    @Test func `a letter and its mark are kept together`() {
        #expect(text([0x61, 0xEC], "windows-1258") == "á")
    }

    @Test func `a byte order mark goes before the declaration`() {
        #expect(text([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "iso-8859-1") == "é")
        #expect(text([0xFF, 0xFE, 0x61, 0], "utf-8") == "a")
        #expect(text([0xFE, 0xFF, 0, 0x61], nil) == "a")
        #expect(text([0xEF, 0xBB, 0xBF], nil) == "")
    }

    @Test func `without a declaration UTF-8 is text and anything else is not`() {
        #expect(text([], nil) == "")
        #expect(text(Array("日本".utf8), nil) == "日本")
        #expect(text([0xFF], nil) == nil)
        #expect(text([0x61], "x-unheard-of") == nil)
        #expect(Charset.text([0x61], label: "x-unheard-of") == nil)
        #expect(Charset.text([0xC3, 0x28], label: "utf-8") == nil)
        #expect(Charset.text([0xE9], label: "latin1") == "é")
    }

    @Test func `bytes without a meaning make the text lossy`() {
        let utf8 = decode([0x61, 0xFF], "utf-8")
        #expect(utf8 == DecodedText(text: "a\u{FFFD}", charset: .utf8, isLossy: true))
        let odd = decode([0x61, 0, 0x62], "utf-16le")
        #expect(odd?.text == "a\u{FFFD}")
        #expect(odd?.isLossy == true)
        let lone = decode([0, 0xD8, 0x61, 0], "utf-16le")
        #expect(lone?.isLossy == true)
    }

    @Test func `a character cut at the end of a truncated body is left out`() {
        let bytes = Array("aé日😀".utf8)
        let expected = ["", "a", "a", "aé", "aé", "aé", "aé日", "aé日", "aé日", "aé日", "aé日😀"]
        for count in 0...bytes.count {
            let decoded = decode(Array(bytes.prefix(count)), "utf-8", isTruncated: true)
            #expect(decoded?.text == expected[count])
            #expect(decoded?.isLossy == false)
        }
        let units: [UInt8] = [0x61, 0, 0x3D, 0xD8, 0]
        let decoded = decode(units, "utf-16le", isTruncated: true)
        #expect(decoded?.text == "a")
        #expect(decoded?.isLossy == false)
        let invalid = decode([0xFF, 0x80], "utf-8", isTruncated: true)
        #expect(invalid?.isLossy == true)
    }
}
