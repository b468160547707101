import ProxydFilter
import ProxydFilterTestSupport
import Testing

struct FilterPartsTests {
    @Test(arguments: [
        ("status<500", ["status<500"]),
        ("status<500  host=a and  path:x", ["status<500", "host=a", "path:x"]),
        ("a & b", ["a", "b"]),
        ("not (a b) c !d", ["not (a b)", "c", "!d"]),
        ("not not a b", ["not not a", "b"]),
        ("(a or b) (c d)", ["(a or b)", "(c d)"]),
        ("a b or c", ["a b or c"]),
        (#"path:"a b" note:"é \" )" z"#, [#"path:"a b""#, #"note:"é \" )""#, "z"]),
        ("~m POST ~c 200", ["~m POST", "~c 200"]),
        ("((a)) b", ["((a))", "b"]),
        ("", []),
    ])
    func `a filter is split into the parts that are joined by 'and' at its top level`(
        text: String, parts: [String]
    ) throws {
        #expect(Filter.parts(of: text) == parts)
        for part in parts { _ = try Filter.parse(part, now: 0) }
    }

    @Test func `the text of a joined or negated filter can be parsed again`() throws {
        let filters = try ["status=200", "path:a or path:b", ""].map { try Filter.parse($0) }
        let all = Filter.all(filters)
        let again = try Filter.parse(all.text)
        #expect(again.text == "(status=200) (path:a or path:b)")
        #expect(Filter.all([.everything]).matchesEverything)
        #expect(try !Filter.parse(Filter.everything.negated.text).matches(FilterRow()))
        #expect(try Filter.parse(all.negated.text).terms.map(\.name) == ["status", "path", "path"])
    }
}
