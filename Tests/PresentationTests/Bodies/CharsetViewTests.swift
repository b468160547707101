import ProxydPresentation
import Testing

/// Text in charsets other than UTF-8, as it is shown.
struct CharsetViewTests {
    private static let form = "application/x-www-form-urlencoded"

    private func lines(_ name: String, _ contentType: String, _ bytes: [UInt8]) -> [String] {
        let type = BodyViewers.named(name) ?? BodyViewers.hex
        let facts = BodyFacts(contentType: contentType, bytes: bytes)
        var viewer = ViewedBody(type, facts, LoadedBody(bytes)).viewer
        Viewed.finish(&viewer)
        return Viewed.text(viewer).map { String($0.dropFirst(2)) }
    }

    private func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        Array(repeatElement(bytes, count: count).joined())
    }

    @Test(
        arguments: [
            ("GBK", "日本", [0xC8, 0xD5, 0xB1, 0xBE]), ("Big5", "日本", [0xA4, 0xE9, 0xA5, 0xBB]),
            ("EUC-KR", "한국", [0xC7, 0xD1, 0xB1, 0xB9]),
            ("EUC-JP", "日本", [0xC6, 0xFC, 0xCB, 0xDC]),
            ("Shift_JIS", "日本", [0x93, 0xFA, 0x96, 0x7B]),
            ("gb18030", "😀", [0x94, 0x39, 0xFC, 0x36]),
            ("ISO-2022-JP", "日ab", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x61, 0x62]),
        ] as [(String, String, [UInt8])])
    func `the text viewer splits a long line between characters in legacy multibyte charsets`(
        charset: String, text: String, bytes: [UInt8]
    ) {
        // With any number of bytes before them.
        for start in 0..<10 {
            let before = String(repeating: "a", count: start)
            let shown = lines(
                "text", "text/plain; charset=\(charset)",
                Array(before.utf8) + repeated(bytes, 3_000) + Array("b\nc".utf8))
            #expect(
                shown.joined(separator: "|").replacing(
                    "|", with: "", maxReplacements: shown.count - 2)
                    == before + String(repeating: text, count: 3_000) + "b|c")
        }
    }

    @Test
    func `an ISO-2022-JP escape sequence applies to all lines that a long line is split into`() {
        let characters = repeated([0x46, 0x7C, 0x4B, 0x5C], 3_000)
        let bytes = [0x1B, 0x24, 0x42] + characters + [0x1B, 0x28, 0x42, 0x0A, 0x46]
        let shown = lines("text", "text/plain; charset=ISO-2022-JP", bytes)
        #expect(shown.dropLast().joined() == String(repeating: "日本", count: 3_000))
        #expect(shown.last == "F")
        let form = lines("form", CharsetViewTests.form + "; charset=ISO-2022-JP", bytes)
        #expect(form.joined().filter { $0 == "日" }.count == 3_000)
    }

    @Test func `the form viewer splits a long value between characters, in Shift_JIS and in UTF-8`()
    {
        for (field, label, character) in [
            ("%93%FA%96%7B", "; charset=SJIS", "本"), ("%E6%97%A5%E6%9C%AC", "", "本"),
        ] {
            for start in 0..<12 {
                let body =
                    String(repeating: "a", count: start) + String(repeating: field, count: 999)
                let shown = lines("form", CharsetViewTests.form + label, Array(body.utf8))
                let text = shown.map { $0.drop { $0 == " " }.components(upTo: "   ") }.joined()
                #expect(text.filter { String($0) == character }.count == 999)
            }
        }
    }

    @Test
    func `a form is decoded in the charset of its _charset_ field, wherever the field occurs`() {
        let start = Array("q=%93%FA%96%7B&x=".utf8) + Array(repeating: 0x61, count: 5_000)
        for name in ["_charset_=Shift_JIS", "_charset_=Shift%5FJIS", "%5Fcharset_=sjis"] {
            let shown = lines("form", CharsetViewTests.form, start + Array("&\(name)".utf8))
            #expect(shown.first?.contains("q = 日本") == true, "\(name)")
        }
        let raw = [0x71, 0x3D, 0x93, 0xFA, 0x96, 0x7B] + Array("&_charset_=Shift_JIS".utf8)
        #expect(lines("form", CharsetViewTests.form, raw).first?.contains("q = 日本") == true)
    }

    @Test func `an event stream is decoded as UTF-8, whatever charset is declared`() {
        let bytes = Array("data: é\n\n".utf8)
        for charset in ["windows-1251", "utf-16", "Shift_JIS"] {
            let type = "text/event-stream; charset=\(charset)"
            #expect(lines("events", type, bytes).first?.contains("data: é") == true)
            #expect(lines("text", type, bytes).first == "data: é")
        }
    }

    @Test
    func `text with no declared charset is not read as UTF-8 if it is not entirely valid UTF-8`() {
        let bytes = Array(repeating: 0x61, count: 3_000) + Array("\n".utf8)
        let late = bytes + bytes + [0x63, 0x61, 0x66, 0xE9]
        #expect(lines("text", "text/plain", late).last == "café")
        let markup = lines("markup", "text/html", Array("<p>".utf8) + late)
        #expect(markup.last?.hasSuffix("café") == true)
        #expect(lines("text", "text/plain; charset=utf-8", late).last == "caf\\xE9")
    }
}

extension Substring {
    /// What is before a text, or all of it.
    fileprivate func components(upTo text: String) -> Substring {
        firstRange(of: text).map { self[..<$0.lowerBound] } ?? self[...]
    }
}
