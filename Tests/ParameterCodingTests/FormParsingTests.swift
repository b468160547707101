import ProxydParameterCoding
import Testing

/// The application/x-www-form-urlencoded parser of the URL standard (§5.1), rule by rule. It has
/// no bare names: what is nil here is an empty value there.
@Suite struct FormParsingTests {
    private func parsed(_ bytes: [UInt8]) -> [[String]] {
        FormDecoder().decode(bytes).pairs.filter { !$0.ranges.isEmpty }.map {
            [$0.name, $0.value ?? ""]
        }
    }

    private func parsed(_ text: String) -> [[String]] { parsed(Array(text.utf8)) }

    @Test func `URL standard form parser, step 1: the input is split at ampersands`() {
        #expect(parsed("a=1&b=2&c=3") == [["a", "1"], ["b", "2"], ["c", "3"]])
        #expect(parsed("a=1;b=2") == [["a", "1;b=2"]])
    }

    @Test func `URL standard form parser, step 3.1: empty sequences yield no pairs`() {
        #expect(parsed("") == [])
        #expect(parsed("&&a=b&&") == [["a", "b"]])
    }

    @Test func `URL standard form parser, step 3.2: the first equals sign ends the name`() {
        #expect(parsed("a=b=c") == [["a", "b=c"]])
        #expect(parsed("==") == [["", "="]])
        #expect(parsed("=a") == [["", "a"]])
    }

    @Test func `URL standard form parser, step 3.3: without an equals sign the value is empty`() {
        #expect(parsed("a&b%3Dc") == [["a", ""], ["b=c", ""]])
    }

    @Test func `URL standard form parser, step 3.4: plus becomes a space before percent-decoding`()
    {
        #expect(parsed("a+b=c++d&%2B=+") == [["a b", "c  d"], ["+", " "]])
    }

    @Test(arguments: [
        ("%", "%"), ("%%", "%%"), ("%4", "%4"), ("%4G", "%4G"), ("%G4", "%G4"), ("%41", "A"),
        ("%c3%A9", "é"), ("%%341", "%41"), ("%2541", "%41"), ("%00", "\u{0}"), ("%-1", "%-1"),
        ("%+1", "% 1"), ("% 41", "% 41"),
    ])
    func `URL standard form parser, step 3.5: escapes are decoded once, and invalid ones kept`(
        encoded: String, text: String
    ) {
        #expect(parsed("\(encoded)=\(encoded)") == [[text, text]])
    }

    @Test func `the form parser accepts unescaped bytes that should have been percent-encoded`() {
        #expect(parsed("é=[]\"<> {}|^`\u{7F}") == [["é", "[]\"<> {}|^`\u{7F}"]])
        #expect(parsed([0x61, 0x3D, 0x00, 0x0A]) == [["a", "\u{0}\n"]])
    }

    /// The standard decodes without a byte order mark taken away, and replaces what is not UTF-8;
    /// here it is shown as Latin-1 and marked.
    @Test func `the form parser keeps a byte order mark and flags values that are not valid UTF-8`()
    {
        #expect(parsed("%EF%BB%BFa=1") == [["\u{FEFF}a", "1"]])
        let pair = FormDecoder().decode(Array("a=%FE".utf8)).pairs.first
        #expect(pair?.valueOrigin == .undecodable)
    }

    @Test
    func `a form of a million repetitions of one byte, such as &, is parsed without loss`() {
        for byte in Array("&=%+a".utf8) {
            let bytes = [UInt8](repeating: byte, count: 1_000_000)
            let pairs = FormDecoder().decode(bytes)
            #expect(pairs.pairs.count == (byte == 0x26 ? 1_000_001 : 1))
            #expect(pairs.joined() == bytes)
        }
    }
}
