import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct QueryDecoderTests {
    private func pairs(_ text: String) -> [[String?]] {
        QueryDecoder().decode(Array(text.utf8)).pairs.map { [$0.name, $0.value] }
    }

    @Test func `names and values are percent-decoded and plus is a space`() {
        #expect(
            pairs("q=caf%C3%A9&tags[]=a&tags[]=b") == [
                ["q", "café"], ["tags[]", "a"], ["tags[]", "b"],
            ]
        )
        #expect(pairs("user=alice&token=x%2By+z") == [["user", "alice"], ["token", "x+y z"]])
        #expect(pairs("a%20b=c%26d") == [["a b", "c&d"]])
    }

    @Test func `a bare name has no value and an empty value is one`() {
        #expect(pairs("flag") == [["flag", nil]])
        #expect(pairs("flag=") == [["flag", ""]])
        #expect(pairs("=v") == [["", "v"]])
        #expect(pairs("=") == [["", ""]])
        #expect(pairs("a=b=c") == [["a", "b=c"]])
    }

    @Test func `empty pairs are kept`() {
        #expect(pairs("") == [])
        #expect(pairs("&") == [["", nil], ["", nil]])
        #expect(pairs("a&&b") == [["a", nil], ["", nil], ["b", nil]])
        #expect(pairs("a=1&") == [["a", "1"], ["", nil]])
    }

    @Test(arguments: ["%", "%4", "%zz", "%4g", "100%", "%%41", "%u0041"])
    func `a bad escape stays as it was`(text: String) {
        let expected = text == "%%41" ? "%A" : text
        #expect(pairs("k=" + text) == [["k", expected]])
    }

    @Test func `a semicolon separates only where asked for`() {
        #expect(pairs("a=1;b=2") == [["a", "1;b=2"]])
        let decoded = QueryDecoder(semicolonSeparates: true).decode(Array("a=1;b=2&c".utf8))
        #expect(decoded.pairs.map(\.name) == ["a", "b", "c"])
        #expect(decoded.joined() == Array("a=1;b=2&c".utf8))
    }

    @Test func `plus can be left alone`() {
        let decoded = QueryDecoder(plusIsSpace: false).decode(Array("a+b=c+d%20e".utf8))
        #expect(decoded.pairs.map(\.name) == ["a+b"])
        #expect(decoded.pairs.map(\.value) == ["c+d e"])
    }

    @Test func `ranges point at the raw bytes`() throws {
        let bytes = Array("a=%41&b".utf8)
        let decoded = QueryDecoder().decode(bytes)
        let first = try #require(decoded.pairs.first)
        #expect(Array(bytes[first.rawName]) == Array("a".utf8))
        #expect(first.rawValue.map { Array(bytes[$0]) } == Array("%41".utf8))
        #expect(Array(decoded.raw(first)) == Array("a=%41".utf8))
        #expect(decoded.pairs.last?.rawValue == nil)
    }

    @Test func `bytes are read in the declared charset, else as UTF-8 or Windows-1252`() {
        #expect(pairs("k=%E9") == [["k", "é"]])
        let text = ByteText(declaredCharset: "koi8-r")
        let decoded = FormDecoder(text: text).decode(Array("k=%C1%C2&u=a".utf8))
        #expect(decoded.pairs.map(\.value) == ["аб", "a"])
        let unknown = ByteText(declaredCharset: "x-unknown")
        let guessed = FormDecoder(text: unknown).decode(Array("k=%E9&e=%80&u=%C3%A9".utf8))
        #expect(guessed.pairs.map(\.value) == ["é", "€", "é"])
    }

    @Test func `a form names its charset in a field`() {
        let body = Array("q=%93%FA%96%7B&_charset_=Shift_JIS".utf8)
        #expect(FormDecoder.form(body, declaredCharset: nil).pairs.first?.value == "日本")
        let declared = FormDecoder.form(body, declaredCharset: "windows-1252")
        #expect(declared.pairs.first?.value == "“ú–{")
        let unknown = Array("q=%E9&_charset_=nonsense".utf8)
        #expect(FormDecoder.form(unknown, declaredCharset: nil).pairs.first?.value == "é")
    }

    @Test func `a form may name its charset percent-encoded`() {
        for field in ["_charset_=Shift%5FJIS", "%5Fcharset%5f=Shift_JIS", "_charset_=+sjis"] {
            let pairs = QueryDecoder.form(
                Array("q=%93%FA&\(field)".utf8), declaredCharset: nil
            ).pairs
            #expect(pairs.first?.value == "日", "\(field)")
        }
    }

    @Test func `an edited pair is encoded in the charset of its form`() {
        var pairs = FormDecoder.form(
            Array("q=%CF%F0&x=1".utf8), declaredCharset: "windows-1251")
        pairs.setFirst(named: "q", to: "Да")
        #expect(pairs.bytes == Array("q=%C4%E0&x=1".utf8))
        // As browsers do it.
        pairs.setFirst(named: "q", to: "é")
        #expect(pairs.bytes == Array("q=%26%23233%3B&x=1".utf8))
    }

    @Test func `joining gives back the same bytes, whatever they are`() {
        var random = SplitMix(seed: 3)
        let grammar = Array("&&==;%+41aZ[]. \u{0}é".utf8) + [0xFF, 0x80]
        let all = (0...255).map { UInt8($0) }
        #expect(QueryDecoder().decode(all).joined() == all)
        for round in 0..<10_000 {
            let bytes = random.bytes(countMax: 40, from: round % 2 == 0 ? grammar : all)
            let decoder = QueryDecoder(semicolonSeparates: round % 3 == 0)
            #expect(decoder.decode(bytes).joined() == bytes)
        }
    }

    @Test func `a million empty pairs are a million pairs`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "&"), count: 1_000_000)
        #expect(QueryDecoder().decode(bytes).pairs.count == 1_000_001)
    }

    /// The decode side of WHATWG's percent-encoding examples, in UTF-8.
    @Test(arguments: [
        ("%E2%80%A0", "\u{2020}"), ("%0EA", "\u{E}A"), ("%E2%80%BE\\", "\u{203E}\\"),
        ("%EE%97%A5", "\u{E5E5}"), ("%C3%A1|", "á|"),
    ])
    func `percent-encoded UTF-8 is read`(encoded: String, text: String) {
        #expect(pairs("k=" + encoded) == [["k", text]])
    }

    private struct Case: Decodable {
        var input = ""
        var output: [String: String] = [:]

        private enum Keys: String, CodingKey { case input, output }

        init(from decoder: any Decoder) throws {
            // The list mixes cases with plain strings, which are comments.
            guard let container = try? decoder.container(keyedBy: Keys.self) else { return }
            input = try container.decode(String.self, forKey: .input)
            output = try container.decode([String: String].self, forKey: .output)
        }
    }

    @Test(.enabled(if: Vectors.has("url/percent-encoding.json")))
    func `the shared percent-encoding vectors are read back`() throws {
        let cases = try Vectors.load("url/percent-encoding.json", as: [Case].self)
        for item in cases {
            guard let encoded = item.output["utf-8"] else { continue }
            #expect(pairs("k=" + encoded) == [["k", item.input]])
        }
    }
}
