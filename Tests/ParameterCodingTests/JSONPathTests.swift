import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// What a leaf's path says leads back to the leaf.
@Suite struct JSONPathTests {
    @Test(arguments: [
        (#"{"a.b":1}"#, #"["a.b"]"#), (#"{"":1}"#, #"[""]"#), (#"{"a":{"":1}}"#, #"a[""]"#),
        (#"{"":{"a":1}}"#, #"[""].a"#), (#"{"a[0]":1}"#, #"["a[0]"]"#), (#"{"a]":1}"#, #"["a]"]"#),
        (#"{"a\"b\\":1}"#, #"["a\"b\\"]"#), (#"{"a":[{"b.c":1}]}"#, #"a[0]["b.c"]"#),
        (#"{"é b":1}"#, "é b"), (#"{"a\n.":1}"#, #"["a\n."]"#), ("1", ""),
    ])
    func `JSON names with dots, brackets or quotes are quoted in the paths that lead to them`(
        text: String, path: String
    ) throws {
        let value = try JSONReader().read(Array(text.utf8))
        #expect(value.leaves().map(\.path) == [path])
        #expect(extract(contentType: "application/json", body: text).map(\.name) == [path])
        var editor = try JSONTextEditor(Array(text.utf8))
        try editor.set(2, at: JSONValuePath(path))
        #expect(editor.bytes == Array(text.replacing("1", with: "2").utf8))
    }

    @Test func `every leaf of a random JSON value is found and can be set at its path`() throws {
        var random = SplitMix(seed: 23)
        let words = ["a", "", ".", "a.b", "[", "]", "\"", "\\", "é", "[0]", "x\u{0}", "a\\"]
        func value(_ depth: Int) -> JSONValue {
            switch depth == 0 ? 0 : Int.random(in: 0...2, using: &random) {
            case 0: return .number("\(Int.random(in: 0...99, using: &random))")
            case 1: return .array((0..<2).map { _ in value(depth - 1) })
            default:
                let names = words.shuffled(using: &random).prefix(3)
                return .object(names.map { .init(name: $0, value: value(depth - 1)) })
            }
        }
        for _ in 0..<500 {
            let value = value(4)
            for leaf in value.leaves() {
                let path = try JSONValuePath(leaf.path)
                #expect(value.value(at: path) == .number(leaf.value ?? ""), "\(leaf.path)")
                let changed = try value.setting(.string("new"), at: path)
                #expect(changed.leaves().count == value.leaves().count)
            }
        }
    }

    @Test func `looking up a JSON path gives the value there, or nil`() throws {
        let text = #"{"a":{"b":1},"a":{"c":[true,null]}}"#
        let value = try JSONReader().read(Array(text.utf8))
        #expect(try value.value(at: JSONValuePath("a.c[0]")) == .bool(true))
        #expect(try value.value(at: JSONValuePath("a.c[1]")) == .null)
        #expect(value.value(at: JSONValuePath([])) == value)
        for path in ["a.b", "a.c[2]", "a[0]", "a.c[0].d", "x"] {
            #expect(try value.value(at: JSONValuePath(path)) == nil, "\(path)")
        }
        #expect(value.value(at: JSONValuePath([.member("a"), .element(-1)])) == nil)
    }

    @Test func `converting a JSON value to a Parameter keeps digits, order and duplicate names`()
        throws
    {
        let text = #"[null,true,-3,18446744073709551615,-0,1.50,1e400,"é",{"b":[],"b":1}]"#
        let value = try JSONReader().read(Array(text.utf8))
        let parameter = Parameter(value)
        #expect(
            parameter
                == [
                    nil, true, -3, .uint(.max), .decimal("-0"), .decimal("1.50"),
                    .decimal("1e400"), "é", .object([.init("b", []), .init("b", 1)]),
                ])
        #expect(try JSONWriter().write(parameter) == Array(text.utf8))
    }

    @Test func `JSON depth limits set after initialization are still capped at 1,024`() {
        var limits = JSONLimits()
        limits.depthMax = 1_000_000
        #expect(limits.depthMax == 1_024)
        let deep = [UInt8](repeating: 0x5B, count: 200_000)
        #expect(throws: JSONSyntaxError.self) { try JSONReader(limits: limits).read(deep) }
        var writer = JSONWriter()
        writer.depthMax = .max
        #expect(writer.depthMax == 1_024)
    }

    @Test func `JSON paths of more than 1,024 steps are rejected`() throws {
        let path = JSONValuePath(Array(repeating: .element(0), count: 1_025))
        var editor = try JSONTextEditor(Array("[]".utf8))
        #expect(throws: JSONPathError.badPath) { try editor.set(1, at: path) }
        #expect(throws: JSONPathError.badPath) { try editor.remove(at: path) }
    }
}
