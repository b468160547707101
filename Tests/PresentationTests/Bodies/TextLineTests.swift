import ProxydCharsets
import ProxydPresentation
import Testing

/// Lines of texts in charsets with units of one, two and four bytes.
struct TextLineTests {
    private static func wide(_ text: String, isBig: Bool = false) -> [UInt8] {
        (isBig ? [0xFE, 0xFF] : [0xFF, 0xFE])
            + text.utf16.flatMap { unit -> [UInt8] in
                let (low, high) = (UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8))
                return isBig ? [high, low] : [low, high]
            }
    }

    private func lines(_ bytes: [UInt8], _ type: String? = "text/plain") -> [String] {
        Viewed.lines("text", type, bytes).map { String($0.dropFirst(2)) }
    }

    @Test(arguments: 4_094...4_100)
    func `UTF-16 text that ends within a code unit is shown up to its last whole unit`(
        byteCount: Int
    ) {
        let whole = TextLineTests.wide(String(repeating: "a", count: 2_100))
        // Two bytes of the mark do not count.
        let bytes = Array(whole.prefix(byteCount + 2))
        let shown = lines(bytes).joined()
        #expect(shown.filter { $0 == "a" }.count >= byteCount / 2)
        for step in [1, 4_097, 4_099] { #expect(dripped(bytes, by: step).joined() == shown) }
    }

    /// The lines of a body that comes in drips.
    private func dripped(_ bytes: [UInt8], by step: Int) -> [String] {
        let facts = BodyFacts(contentType: "text/plain", bytes: bytes)
        let body = DrippingBody(bytes)
        var viewer = Viewed.viewer("text", facts, body)
        let starts = step == 1 ? Array(4_090...bytes.count) : [step, bytes.count]
        for end in starts {
            body.grow(to: end)
            viewer.advance(byteBudget: 1 << 20)
        }
        Viewed.finish(&viewer)
        return Viewed.text(viewer).map { String($0.dropFirst(2)) }
    }

    @Test(arguments: [false, true])
    func `the text viewer does not split a surrogate pair where it splits a long UTF-16 line`(
        isBig: Bool
    ) {
        for before in 2_045...2_049 {
            let text = String(repeating: "a", count: before) + String(repeating: "😀", count: 9)
            let lines = lines(TextLineTests.wide(text, isBig: isBig))
            #expect(lines.joined() == text)
            #expect(lines.count == 2)
        }
    }

    @Test func `the text viewer does not split a UTF-8 character where it splits a long line`() {
        for character in ["é", "日", "😀"] {
            for before in 4_090...4_097 {
                let text =
                    String(repeating: "a", count: before) + String(repeating: character, count: 9)
                let lines = lines(Array(text.utf8))
                #expect(lines.joined() == text)
            }
        }
    }

    @Test func `the text viewer recognizes line breaks in UTF-32 text as units of four bytes`() {
        let bytes = "ab\r\ncĊ".unicodeScalars.flatMap { scalar in
            (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (24 - 8 * UInt32($0))) }
        }
        #expect(lines(bytes, "text/plain; charset=utf-32be") == ["ab", "cĊ"])
    }

    @Test func `a byte order mark takes precedence over the declared charset of a text`() {
        let bytes = TextLineTests.wide("é")
        #expect(lines(bytes, "text/plain; charset=iso-8859-1") == ["é"])
        let eight: [UInt8] = [0xEF, 0xBB, 0xBF, 0xC3, 0xA9]
        #expect(lines(eight, "text/plain; charset=iso-8859-1") == ["é"])
    }

    @Test
    func `text that is not valid UTF-8 is read as Windows-1252 if no known charset is declared`() {
        #expect(lines([0x93, 0x41, 0x94, 0x80]) == ["“A”€"])
        // An unknown name of a charset is as good as none.
        #expect(lines([0x80], "text/plain; charset=x-unknown") == ["€"])
    }

    @Test
    func `after a long line that it splits, the text viewer starts the next line on a new row`() {
        for count in 4_094...4_097 {
            let text = String(repeating: "a", count: count) + "\nb"
            let lines = lines(Array(text.utf8))
            #expect(lines.last == "b")
            #expect(lines.dropLast().joined() == String(repeating: "a", count: count))
        }
    }
}

/// What is looked for in a body.
struct BodyNeedleTests {
    private func places(
        _ needle: String, _ bytes: [UInt8], type: String = "text/plain", isExact: Bool = false
    ) -> [Int] {
        let facts = BodyFacts(contentType: type, bytes: bytes)
        guard let needle = BodyNeedle(needle, TextEncoding(facts), isCaseSensitive: isExact) else {
            return []
        }
        return bytes.indices.filter { needle.first(in: bytes.span, $0..<$0 + 1) != nil }
    }

    @Test(arguments: [
        ("0x41", [1]), ("0x41 42", [1]), ("0x4142", [1]), ("0X41", [3]), ("0x4", [3]),
        ("0x+1", [8]), ("0x-1", []), ("0xZZ", []), ("0x", [3, 8]), ("0x ", []), ("0xff", []),
    ])
    func `body search takes 0x and pairs of hex digits as bytes, and anything else as text`(
        needle: String, found: [Int]
    ) {
        //              0123456789
        let bytes = Array(".AB0X41.0x+1".utf8) + [0x01]
        #expect(places(needle, bytes) == found)
    }

    @Test(arguments: ["€", "“", "–", "é", "ÿ"])
    func `body search finds a non-ASCII character in a Windows-1252 body`(text: String) throws {
        let byte = try Charset.windows1252.encode(text)
        let bytes = [0x2E, 0xC4] + byte + [0x2E]
        #expect(places(text, bytes, type: "text/plain; charset=windows-1252") == [2])
    }

    @Test func `body search ignores case in Latin and Cyrillic text unless told to match case`() {
        for (needle, text) in [("ÄÖ", "xäö"), ("äö", "xÄÖ"), ("ж", "xЖ"), ("A", "xa")] {
            #expect(places(needle, Array(text.utf8)) == [1])
            #expect(places(needle, Array(text.utf8), isExact: true) == [])
        }
    }

    @Test func `a backward body search finds the last match that starts in the range`() throws {
        let bytes = Array("abababa".utf8)
        let encoding = TextEncoding(BodyFacts(contentType: nil, bytes: bytes))
        let needle = try #require(BodyNeedle("aba", encoding))
        #expect(needle.last(in: bytes.span, 0..<7) == 4..<7)
        #expect(needle.last(in: bytes.span, 0..<4) == 2..<5)
        #expect(needle.first(in: bytes.span, 1..<7) == 2..<5)
        #expect(needle.first(in: bytes.span, 5..<7) == nil)
        #expect(needle.last(in: bytes.span, 0..<0) == nil)
    }

    @Test func `repeated body search finds every match, forward and backward`() throws {
        var numbers = TestNumbers(seed: 11)
        for _ in 0..<20 {
            let bytes = (0..<2_000).map { _ in UInt8.random(in: 0x61...0x63, using: &numbers) }
            let encoding = TextEncoding(BodyFacts(contentType: nil, bytes: bytes))
            let needle = try #require(BodyNeedle("abcab", encoding))
            let all = bytes.indices.filter { bytes[$0...].starts(with: "abcab".utf8) }
            let search = BodySearch(
                needle: needle, source: LoadedBody(bytes), load: { _ in },
                isCancelled: { false }, progress: { _ in })
            var found: [Int] = []
            while let next = search.match(in: (found.last ?? -1) + 1..<Int.max, .forward) {
                found.append(next.lowerBound)
            }
            #expect(found == all)
            var back: [Int] = []
            while let next = search.match(in: 0..<(back.last ?? 2_000), .backward) {
                back.append(next.lowerBound)
            }
            #expect(back == all.reversed())
        }
    }
}
