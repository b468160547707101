import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct QueryDecoderTests {
    private func pairs(_ text: String) -> [[String?]] {
        QueryDecoder().decode(Array(text.utf8)).pairs.map { [$0.name, $0.value] }
    }

    @Test func `query names and values are percent-decoded, and plus becomes a space`() {
        #expect(
            pairs("q=caf%C3%A9&tags[]=a&tags[]=b") == [
                ["q", "café"], ["tags[]", "a"], ["tags[]", "b"],
            ]
        )
        #expect(pairs("user=alice&token=x%2By+z") == [["user", "alice"], ["token", "x+y z"]])
        #expect(pairs("a%20b=c%26d") == [["a b", "c&d"]])
    }

    @Test func `a query name without = has no value, and a name followed by = has an empty value`()
    {
        #expect(pairs("flag") == [["flag", nil]])
        #expect(pairs("flag=") == [["flag", ""]])
        #expect(pairs("=v") == [["", "v"]])
        #expect(pairs("=") == [["", ""]])
        #expect(pairs("a=b=c") == [["a", "b=c"]])
    }

    @Test func `empty pairs of a query are kept`() {
        #expect(pairs("") == [])
        #expect(pairs("&") == [["", nil], ["", nil]])
        #expect(pairs("a&&b") == [["a", nil], ["", nil], ["b", nil]])
        #expect(pairs("a=1&") == [["a", "1"], ["", nil]])
    }

    @Test(arguments: ["%", "%4", "%zz", "%4g", "100%", "%%41", "%u0041"])
    func `an invalid percent escape in a query is kept as text`(text: String) {
        let expected = text == "%%41" ? "%A" : text
        #expect(pairs("k=" + text) == [["k", expected]])
    }

    @Test func `a semicolon separates query pairs only if the option that allows it is set`() {
        #expect(pairs("a=1;b=2") == [["a", "1;b=2"]])
        let decoded = QueryDecoder(semicolonSeparates: true).decode(Array("a=1;b=2&c".utf8))
        #expect(decoded.pairs.map(\.name) == ["a", "b", "c"])
        #expect(decoded.joined() == Array("a=1;b=2&c".utf8))
    }

    @Test func `a plus sign in a query is kept if decoding it as a space is disabled`() {
        let decoded = QueryDecoder(plusIsSpace: false).decode(Array("a+b=c+d%20e".utf8))
        #expect(decoded.pairs.map(\.name) == ["a+b"])
        #expect(decoded.pairs.map(\.value) == ["c+d e"])
    }

    @Test func `the byte ranges of a decoded query pair refer to the undecoded query`() throws {
        let bytes = Array("a=%41&b".utf8)
        let decoded = QueryDecoder().decode(bytes)
        let first = try #require(decoded.pairs.first)
        #expect(Array(bytes[first.rawName]) == Array("a".utf8))
        #expect(first.rawValue.map { Array(bytes[$0]) } == Array("%41".utf8))
        #expect(Array(decoded.raw(first)) == Array("a=%41".utf8))
        #expect(decoded.pairs.last?.rawValue == nil)
    }

    @Test func `query bytes are decoded in the declared charset, or else as UTF-8 or Windows-1252`()
    {
        #expect(pairs("k=%E9") == [["k", "é"]])
        let text = ByteText(declaredCharset: "koi8-r")
        let decoded = FormDecoder(text: text).decode(Array("k=%C1%C2&u=a".utf8))
        #expect(decoded.pairs.map(\.value) == ["аб", "a"])
        let unknown = ByteText(declaredCharset: "x-unknown")
        let guessed = FormDecoder(text: unknown).decode(Array("k=%E9&e=%80&u=%C3%A9".utf8))
        #expect(guessed.pairs.map(\.value) == ["é", "€", "é"])
    }

    @Test func `a _charset_ field sets the charset of a form unless a charset is declared`() {
        let body = Array("q=%93%FA%96%7B&_charset_=Shift_JIS".utf8)
        #expect(FormDecoder.form(body, declaredCharset: nil).pairs.first?.value == "日本")
        let declared = FormDecoder.form(body, declaredCharset: "windows-1252")
        #expect(declared.pairs.first?.value == "“ú–{")
        let unknown = Array("q=%E9&_charset_=nonsense".utf8)
        #expect(FormDecoder.form(unknown, declaredCharset: nil).pairs.first?.value == "é")
    }

    @Test func `the _charset_ field of a form may be percent-encoded`() {
        for field in ["_charset_=Shift%5FJIS", "%5Fcharset%5f=Shift_JIS", "_charset_=+sjis"] {
            let pairs = QueryDecoder.form(
                Array("q=%93%FA&\(field)".utf8), declaredCharset: nil
            ).pairs
            #expect(pairs.first?.value == "日", "\(field)")
        }
    }

    @Test func `an edited form value is encoded in the charset of its form`() {
        var pairs = FormDecoder.form(
            Array("q=%CF%F0&x=1".utf8), declaredCharset: "windows-1251")
        pairs.setFirst(named: "q", to: "Да")
        #expect(pairs.bytes == Array("q=%C4%E0&x=1".utf8))
        // As browsers do it.
        pairs.setFirst(named: "q", to: "é")
        #expect(pairs.bytes == Array("q=%26%23233%3B&x=1".utf8))
    }

    @Test func `joining decoded query pairs gives the original bytes`() {
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

    @Test func `a query of a million ampersands is decoded to 1,000,001 empty pairs`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "&"), count: 1_000_000)
        #expect(QueryDecoder().decode(bytes).pairs.count == 1_000_001)
    }

    /// The decode side of WHATWG's percent-encoding examples, in UTF-8.
    @Test(arguments: [
        ("%E2%80%A0", "\u{2020}"), ("%0EA", "\u{E}A"), ("%E2%80%BE\\", "\u{203E}\\"),
        ("%EE%97%A5", "\u{E5E5}"), ("%C3%A1|", "á|"),
    ])
    func `percent-encoded UTF-8 in a query is decoded`(encoded: String, text: String) {
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
    func `the shared percent-encoding vectors are decoded to the original text`() throws {
        let cases = try Vectors.load("url/percent-encoding.json", as: [Case].self)
        for item in cases {
            guard let encoded = item.output["utf-8"] else { continue }
            #expect(pairs("k=" + encoded) == [["k", item.input]])
        }
    }
}
