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

    @Test func `step 1: sequences are split on ampersands`() {
        #expect(parsed("a=1&b=2&c=3") == [["a", "1"], ["b", "2"], ["c", "3"]])
        #expect(parsed("a=1;b=2") == [["a", "1;b=2"]])
    }

    @Test func `step 3.1: empty sequences are no pairs`() {
        #expect(parsed("") == [])
        #expect(parsed("&&a=b&&") == [["a", "b"]])
    }

    @Test func `step 3.2: the first equals sign cuts`() {
        #expect(parsed("a=b=c") == [["a", "b=c"]])
        #expect(parsed("==") == [["", "="]])
        #expect(parsed("=a") == [["", "a"]])
    }

    @Test func `step 3.3: without one, all is the name and the value is empty`() {
        #expect(parsed("a&b%3Dc") == [["a", ""], ["b=c", ""]])
    }

    @Test func `step 3.4: plus is a space in names and values, before escapes are undone`() {
        #expect(parsed("a+b=c++d&%2B=+") == [["a b", "c  d"], ["+", " "]])
    }

    @Test(arguments: [
        ("%", "%"), ("%%", "%%"), ("%4", "%4"), ("%4G", "%4G"), ("%G4", "%G4"), ("%41", "A"),
        ("%c3%A9", "é"), ("%%341", "%41"), ("%2541", "%41"), ("%00", "\u{0}"), ("%-1", "%-1"),
        ("%+1", "% 1"), ("% 41", "% 41"),
    ])
    func `step 3.5: escapes are undone once, and bad ones stay`(encoded: String, text: String) {
        #expect(parsed("\(encoded)=\(encoded)") == [[text, text]])
    }

    @Test func `bytes that are not escaped are text all the same`() {
        #expect(parsed("é=[]\"<> {}|^`\u{7F}") == [["é", "[]\"<> {}|^`\u{7F}"]])
        #expect(parsed([0x61, 0x3D, 0x00, 0x0A]) == [["a", "\u{0}\n"]])
    }

    /// The standard decodes without a byte order mark taken away, and replaces what is not UTF-8;
    /// here it is shown as Latin-1 and marked.
    @Test func `a byte order mark stays and what is not UTF-8 is marked`() {
        #expect(parsed("%EF%BB%BFa=1") == [["\u{FEFF}a", "1"]])
        let pair = FormDecoder().decode(Array("a=%FE".utf8)).pairs.first
        #expect(pair?.valueOrigin == .undecodable)
    }

    @Test func `a million empty pairs, names, equals signs and bad escapes end`() {
        for byte in Array("&=%+a".utf8) {
            let bytes = [UInt8](repeating: byte, count: 1_000_000)
            let pairs = FormDecoder().decode(bytes)
            #expect(pairs.pairs.count == (byte == 0x26 ? 1_000_001 : 1))
            #expect(pairs.joined() == bytes)
        }
    }
}
