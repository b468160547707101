import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import Testing

/// What each test of a filter found in an exchange.
struct FilterExplainingTests {
    private let row = FilterRow.with { row in
        row.texts[.path] = "/shop"
        row.numbers[.status] = 404
        row.parameters = [("q", "1"), ("q", nil), ("z", "")]
        row.headers = [.request: [("X-A", "1"), ("x-a", "2")], .response: [("X-A", "3")]]
        row.bodies = [.response: Array("hello".utf8)]
    }

    /// Each test as `name column decision value`.
    private func explained(_ text: String, at moment: FilterMoment? = nil) throws -> [String] {
        let filter = try Filter.parse(text, now: 0)
        let results =
            moment.map { filter.tests(of: PartOfRow(row: row, moment: $0)) }
            ?? filter.tests(of: row)
        return results.map { result in
            "\(result.term.name) \(result.term.column) \(result.decision) \(result.value ?? "-")"
        }
    }

    @Test(
        arguments: [
            ("path=/shop", ["path 1 passes /shop"]),
            ("shop", ["url 1 passes http://example.com/shop"]),
            // A not around a test does not change what the test found.
            ("not status=404 !path:x", ["status 5 passes 404", "path 17 fails /shop"]),
            ("(status<400 or size>1k)", ["status 2 fails 404", "size 16 fails 0"]),
            ("header.x-a=3", ["header 1 passes 1, 2, 3"]),
            ("reqheader.X-A=3", ["reqheader 1 fails 1, 2"]),
            ("header.x-b:\"\"", ["header 1 fails -"]), ("param.q=\"\"", ["param 1 passes 1, "]),
            ("param.none=1", ["param 1 fails -"]), ("body:hell", ["body 1 passes -"]),
            ("~c 404", ["~c 1 passes 404"]), ("note:x", ["note 1 fails -"]), ("", []),
        ] as [(String, [String])])
    func `explaining a filter lists each test with its column, its result and the tested value`(
        _ text: String, _ wanted: [String]
    ) throws {
        #expect(try explained(text) == wanted)
    }

    @Test
    func `an explained filter lists a test as open if the tested value has not arrived yet`()
        throws
    {
        #expect(
            try explained("path=/shop status=404 resheader.x-a=3", at: .requestHead) == [
                "path 1 passes /shop", "status 12 open -", "resheader 23 open -",
            ])
    }

    @Test(
        arguments: [
            ("body:hello", "hello", [FilterSide.request, .response]),
            ("resbody=\"a b\"", "a b", [.response]),
            ("status=200 reqbody:X", "x", [.request]), ("not body:a", nil, []), ("body~a", nil, []),
            ("path:a", nil, []), ("not body:a body:b", "b", [.request, .response]), ("", nil, []),
        ] as [(String, String?, [FilterSide])])
    func `a filter reports the text that it searches for in bodies`(
        _ text: String, _ sought: String?, _ sides: [FilterSide]
    ) throws {
        let found = try Filter.parse(text, now: 0).soughtInBodies
        #expect(found?.text == sought && found?.sides ?? [] == sides)
    }

    @Test(arguments: [")a b", "a and", "(a", "host= b", "a) b", "not", "a hots:b", "\"a", "a or"])
    func `a filter with a syntax error is not split into parts`(_ text: String) {
        #expect(Filter.parts(of: text) == [text])
    }

    @Test(arguments: [
        ("hots", ["host"]), ("hsot", ["host"]), ("st", ["state", "status", "stream"]),
        ("methd", ["method"]), ("", []), ("zzzz", []), ("h", []),
        (String(repeating: "a", count: 33), []),
    ])
    func `for a misspelled field name, only the most similar names are suggested`(
        _ name: String, _ near: [String]
    ) {
        let fields = ["host", "method", "state", "status", "stream", "path"]
        #expect(NearNames.of(name, among: fields) == near)
    }
}
