import Foundation
import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct JSONReaderTests {
    private func read(_ text: String) throws(JSONSyntaxError) -> JSONValue {
        try JSONReader().read(Array(text.utf8))
    }

    private func problem(_ bytes: [UInt8], depthMax: Int = 512) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try JSONReader(limits: JSONLimits(depthMax: depthMax)).read(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func problem(_ text: String) -> JSONSyntaxError? { problem(Array(text.utf8)) }

    @Test func `the JSON reader keeps member order, duplicate names and digits`() throws {
        let value = try read(#"{"b":1.10,"a":[1e400,-0,true,null],"b":"x"}"#)
        let expected = JSONValue.object([
            .init(name: "b", value: .number("1.10")),
            .init(
                name: "a",
                value: .array([.number("1e400"), .number("-0"), .bool(true), .null])
            ),
            .init(name: "b", value: .string("x")),
        ])
        #expect(value == expected)
    }

    @Test func `the JSON reader decodes the escapes in strings`() throws {
        let value = try read(#""a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00""#)
        #expect(value == .string("a\"\\/\u{8}\u{C}\n\r\tAé😀"))
    }

    @Test(arguments: [
        #""\ud800""#: "\u{FFFD}", #""\udc00x""#: "\u{FFFD}x", #""\ud800\u0041""#: "\u{FFFD}A",
        #""\ud800\n""#: "\u{FFFD}\n",
    ])
    func `the JSON reader turns a lone surrogate into the replacement character`(
        text: String, expected: String
    ) throws {
        #expect(try read(text) == .string(expected))
    }

    @Test(arguments: [
        "", " ", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}",
        "[01]", "[+1]", "[1.]", "[.5]", "[1e]", "[-]", "[- 1]", "[0x1]", "[NaN]", "[Infinity]",
        "tru", "truE", "nul", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\", "\"\u{1}\"", "\"\n\"",
        "[1]]",
        "[1] x", "{}{}", "[", "{", "[\"a\"", "{\"a\":1", "]", "}", "[1}", "{\"a\":1]", "\u{C}[]",
        "[1]\u{A0}", "//c\n[]", "[\u{2060}]",
    ])
    func `the JSON reader rejects malformed texts`(text: String) {
        #expect(problem(text) != nil)
    }

    @Test(arguments: [
        "0", "-0", "1.5E+3", "\"\"", "true", "false", "null", "[]", "{}", " [ ] ", "[[],{}]",
        "{\"\":0}", "\"\u{7F}\"", "\"\u{2028}\"", "\u{FEFF}{}", "[0.1e-2]", "\t\r\n1\n",
    ])
    func `the JSON reader accepts well-formed texts of every kind`(text: String) {
        #expect(problem(text) == nil)
    }

    @Test func `a JSON syntax error reports its offset, line and column`() throws {
        let error = try #require(problem("{\n  \"é\": tru\n}"))
        #expect(error.kind == .unexpectedByte)
        #expect((error.offset, error.line, error.column) == (13, 2, 11))
        #expect(error.description == "line 2, column 11: unexpected character")
    }

    @Test(arguments: [
        ("[1", JSONSyntaxError.Kind.unexpectedEnd, 2), ("[1]x", .trailingContent, 3),
        ("[\"\\q\"]", .badEscape, 3), ("[\"\t\"]", .controlCharacter, 2), ("[01]", .badNumber, 2),
        ("\"\\u00", .unexpectedEnd, 5), ("[1.x]", .badNumber, 3),
    ])
    func `a JSON syntax error reports its kind and offset`(
        text: String, kind: JSONSyntaxError.Kind, offset: Int
    ) {
        #expect(problem(text)?.kind == kind)
        #expect(problem(text)?.offset == offset)
    }

    @Test func `the JSON reader throws a specific error for bytes that are not valid UTF-8`() {
        #expect(problem([0x22, 0x61, 0xFF, 0x22])?.kind == .invalidUTF8)
        #expect(problem([0x22, 0x61, 0xFF, 0x22])?.offset == 2)
        #expect(problem([0x22, 0xED, 0xA0, 0x80, 0x22])?.kind == .invalidUTF8)
        #expect(problem([0x22, 0xC0, 0x80, 0x22])?.kind == .invalidUTF8)
        #expect(problem([0xFF])?.kind == .unexpectedByte)
    }

    @Test func `JSON nested deeper than the limit is rejected with an error`() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(String(repeating: "[", count: depth).utf8)
                + Array(String(repeating: "]", count: depth).utf8)
        }
        #expect(problem(nested(512)) == nil)
        #expect(problem(nested(513))?.kind == .tooDeep)
        #expect(problem(nested(3), depthMax: 2)?.kind == .tooDeep)
        let endless = [UInt8](repeating: UInt8(ascii: "["), count: 50_000_000)
        #expect(problem(endless)?.kind == .tooDeep)
    }

    @Test func `a JSON text over the size limit is rejected with an error`() {
        let reader = JSONReader(limits: JSONLimits(byteCountMax: 4))
        #expect(throws: JSONSyntaxError.self) { try reader.read(Array("[1,2]".utf8)) }
        #expect((try? reader.read(Array("[12]".utf8))) != nil)
    }

    @Test
    func `the JSON reader does not crash on random bytes and reports errors within the input`() {
        var random = SplitMix(seed: 8)
        let alphabet = Array(#"[]{}",:0123.eE+-\u truefalsn"#.utf8) + [0xC3, 0xA9, 0xFF]
        for _ in 0..<20_000 {
            let bytes = random.bytes(countMax: 24, from: alphabet)
            if let error = problem(bytes) { #expect(error.offset <= bytes.count) }
        }
    }

    @Test
    func `the leaves of a JSON value carry their paths, and their number and size can be limited`()
        throws
    {
        let value = try read(
            #"{"a":{"x":[1,"b",{"y":true}]},"n":null,"e":[],"o":{},"":0,"d":1,"d":2}"#
        )
        let leaves = value.leaves()
        #expect(
            leaves == [
                JSONLeaf(path: "a.x[0]", value: "1"), JSONLeaf(path: "a.x[1]", value: "b"),
                JSONLeaf(path: "a.x[2].y", value: "true"), JSONLeaf(path: "n", value: nil),
                JSONLeaf(path: "e", value: "[]"), JSONLeaf(path: "o", value: "{}"),
                JSONLeaf(path: #"[""]"#, value: "0"), JSONLeaf(path: "d", value: "1"),
                JSONLeaf(path: "d", value: "2"),
            ]
        )
        #expect(value.leaves(countMax: 2).count == 2)
        #expect(value.leaves(textByteCountMax: 1).count == 1)
        #expect(try read("[[1,2],[3]]").leaves().map(\.path) == ["[0][0]", "[0][1]", "[1][0]"])
        #expect(try read("7").leaves() == [JSONLeaf(path: "", value: "7")])
    }

    @Test func `the parameters extracted from a JSON text are the leaves of its parsed value`()
        throws
    {
        let text = #"{"a":[{"b":[[],[1,{"c":"\u00e9"}]]},null],"z":{"y":{"x":{}}},"t":false}"#
        let parameters = extract(contentType: "application/json", body: text)
        let leaves = try read(text).leaves()
        #expect(parameters.map(\.name) == leaves.map(\.path))
        #expect(parameters.map(\.value) == leaves.map(\.value))
    }
}

@Suite struct JSONVectorTests {
    private struct Case: Decodable {
        struct Repetition: Decodable {
            let unit: Data
            let bytes: Int
        }

        let name: String
        let expect: String
        let base64: Data?
        let `repeat`: Repetition?

        var bytes: [UInt8]? {
            if let base64 { return Array(base64) }
            guard let `repeat`, !`repeat`.unit.isEmpty else { return nil }
            let unit = Array(`repeat`.unit)
            return (0..<`repeat`.bytes).map { unit[$0 % unit.count] }
        }
    }

    @Test(.enabled(if: Vectors.has("json/parsing.json")))
    func `the JSON reader accepts or rejects each of the 318 shared JSON vectors as expected`()
        throws
    {
        let cases = try Vectors.load("json/parsing.json", as: [Case].self)
        #expect(cases.count == 318)
        for item in cases {
            let bytes = try #require(item.bytes, "\(item.name)")
            let value = try? JSONReader().read(bytes)
            switch item.expect {
            case "accept": #expect(value != nil, "\(item.name)")
            case "reject": #expect(value == nil, "\(item.name)")
            default: break
            }
        }
    }
}
