import ProxydParameterCoding
import Testing

@Suite struct URLEncodingEscapeTests {
    private struct PercentEncodingCase: Decodable {
        let input: String
        let output: [String: String]
    }

    private enum Entry: Decodable {
        case note
        case testCase(PercentEncodingCase)

        init(from decoder: any Decoder) throws {
            if let testCase = try? PercentEncodingCase(from: decoder) {
                self = .testCase(testCase)
            } else {
                self = .note
            }
        }
    }

    private static let alphanumerics =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    @Test(arguments: [
        (EscapeSet.rfc3986, "-._~/?", 68),
        (.strict, "-._~", 66),
        (.whatwgForm, "*-._", 66),
        (.rfc3986Query, "-._~!$&'()*+,;=:@/?%", 82),
        (.whatwgQuery, "-._~!$%&()*+,/:;=?@[\\]^`{|}", 89),
    ])
    func `each predefined EscapeSet leaves exactly its documented characters unescaped`(
        set: EscapeSet, others: String, count: Int
    ) {
        let kept = (UInt8.min...UInt8.max).filter { set.keeps($0) }
        #expect(kept.count == count)
        #expect(Set(kept) == Set((Self.alphanumerics + others).utf8))
    }

    @Test func `bytes outside an EscapeSet are percent-encoded in upper-case hexadecimal`() {
        for byte in UInt8.min...UInt8.max where !EscapeSet.strict.keeps(byte) {
            let digits = String(byte, radix: 16, uppercase: true)
            let expected = "%" + (byte < 16 ? "0" : "") + digits
            #expect(EscapeSet.strict.encoded([byte]) == Array(expected.utf8))
        }
        #expect(EscapeSet.strict.encoded("a b%20é𝄞") == "a%20b%2520%C3%A9%F0%9D%84%9E")
    }

    @Test func `only ASCII characters can be added to or removed from an EscapeSet`() {
        let changed = EscapeSet.rfc3986.escaping("?/").keeping("%é")
        #expect(changed.encoded("?/a%bé") == "%3F%2Fa%b%C3%A9")
        #expect(changed != EscapeSet.rfc3986)
        #expect(EscapeSet.rfc3986.escaping("/?") == .strict)
    }

    @Test func `the rfc3986 EscapeSet escapes reserved characters except slash and question mark`()
    {
        #expect(
            EscapeSet.rfc3986.encoded(":#[]@!$&'()*+,;=?/")
                == "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D?/"
        )
        #expect(
            EscapeSet.rfc3986.encoded(" \"#%<>[]\\^`{}|")
                == "%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"
        )
    }

    @Test func `URLEncoding does not normalize Unicode text`() throws {
        let parameters: Parameter = ["a": "e\u{301}", "b": "\u{FEFF}\u{200B}", "c": "\r\n\0"]
        let expected = "a=e%CC%81&b=%EF%BB%BF%E2%80%8B&c=%0D%0A%00"
        #expect(try URLEncoding.default.text(parameters) == expected)
    }

    @Test func `URLEncoding encodes a value of 20,000 Chinese characters without loss`() throws {
        let text = String(repeating: "一二三四五六七八九十", count: 2_000)
        let bytes = try URLEncoding.default.bytes(["chinese": .string(text)])
        #expect(bytes.count == "chinese=".utf8.count + 3 * text.utf8.count)
        #expect(QueryDecoder().decode(bytes).pairs.map(\.value) == [text])
    }

    /// The serializer of application/x-www-form-urlencoded, rule by rule (WHATWG URL §5.2).
    @Test(arguments: [
        (["a", "b"], "a=b"), (["a", ""], "a="), (["", "b"], "=b"), (["", ""], "="),
        (["a b", " c "], "a+b=+c+"), (["a+b", "1+1=2"], "a%2Bb=1%2B1%3D2"),
        (["a", "1", "a", "2", "A", "3"], "a=1&a=2&A=3"), (["b", "1", "a", "2"], "b=1&a=2"),
        (["k", "*-._"], "k=*-._"), (["k", "~'()!"], "k=%7E%27%28%29%21"),
        (["k", "\r\n"], "k=%0D%0A"), (["k", "\n"], "k=%0A"), (["k", "\0"], "k=%00"),
        (["é", "💩"], "%C3%A9=%F0%9F%92%A9"), (["a&b", "c;d"], "a%26b=c%3Bd"),
        (["k", "%2F/?#"], "k=%252F%2F%3F%23"), (["a[]", "a.b"], "a%5B%5D=a.b"),
        (["_charset_", "x"], "_charset_=x"), (["\u{FFFD}", "\u{7F}"], "%EF%BF%BD=%7F"),
    ])
    func `the whatwgForm preset gives the same output as the URL standard's form serializer`(
        pairs: [String],
        expected: String
    ) throws {
        let members = stride(from: 0, to: pairs.count, by: 2).map {
            Parameter.Member(pairs[$0], .string(pairs[$0 + 1]))
        }
        let serializer = URLEncoding.whatwgForm.changed { $0.lineEnds = .asGiven }
        #expect(try serializer.text(.object(members)) == expected)
    }

    @Test(arguments: [
        ("\n", "%0D%0A"), ("\r", "%0D%0A"), ("\r\n", "%0D%0A"), ("\n\r", "%0D%0A%0D%0A"),
        ("\r\r\n\n", "%0D%0A%0D%0A%0D%0A"), ("a\nb", "a%0D%0Ab"),
    ])
    func `the whatwgForm preset writes every line ending as CRLF, in names too`(
        text: String, expected: String
    ) throws {
        let parameters = Parameter.object([Parameter.Member(text, .string(text))])
        #expect(
            try URLEncoding.whatwgForm.text(parameters) == expected + "=" + expected)
    }

    @Test func `& and = within names and values are escaped even if the EscapeSet keeps them`()
        throws
    {
        let all = (0x20...0x7E).map { String(Unicode.Scalar($0)) }.joined()
        for set in [EscapeSet(keeping: all), .whatwgQuery, .rfc3986Query] {
            let encoding = URLEncoding.default.changed { $0.escapes = set }
            #expect(try encoding.text(["a=1&b+#": "c=2&d+#"]) == "a%3D1%26b%2B%23=c=2%26d%2B%23")
        }
    }

    @Test func `URLEncoding writes spaces as + or as %20, in names and values alike`() throws {
        let plus = URLEncoding.default.changed { $0.spaces = .plus }
        #expect(try plus.text(["a b": " c+"]) == "a+b=+c%2B")
        #expect(try URLEncoding.default.text(["a b": " c+"]) == "a%20b=%20c%2B")
    }

    @Test(.enabled(if: Vectors.has("url/percent-encoding.json")))
    func `every UTF-8 case in the shared percent-encoding vectors is encoded as expected`() throws {
        let entries = try Vectors.load("url/percent-encoding.json", as: [Entry].self)
        let cases = entries.compactMap { entry in
            if case .testCase(let testCase) = entry { testCase } else { nil }
        }
        #expect(cases.count >= 7)
        for testCase in cases {
            #expect(EscapeSet.whatwgQuery.encoded(testCase.input) == testCase.output["utf-8"])
        }
    }
}
