import ProxydParameterCoding
import Testing

/// What stands at a path of a body of JSON.
@Suite struct JSONBodyValuesTests {
    private static func values(
        _ path: String, _ body: String, _ type: String? = "application/json"
    ) -> [String?] {
        let bytes = Array(body.utf8)
        return JSONBodyValues.values(at: path, in: bytes.span, contentType: type)
    }

    private static let body = #"""
        {"a": {"x": [1, {"y": "T\u00e9"}]}, "n": null, "t": true, "e": [], "o": {}, "a": 1.50,
         "x.y": "q", "": 0}
        """#

    @Test(
        arguments: [
            ("a.x[0]", ["1"]), ("a.x[1].y", ["T\u{E9}"]), ("n", [nil]), ("t", ["true"]),
            ("e", ["[]"]), ("o", ["{}"]), ("a", ["1.50"]), ("[\"x.y\"]", ["q"]), ("[\"\"]", ["0"]),
            ("a.x", []), ("a.x[1]", []), ("a.x[2]", []), ("A", []), ("", []), ("x.y", []),
        ] as [(String, [String?])])
    func `a value in a JSON body is found only at the complete path of a leaf`(
        path: String, values: [String?]
    ) {
        #expect(Self.values(path, Self.body) == values)
    }

    @Test func `values are found in a JSON body that is not valid UTF-8 and declares no charset`() {
        let bytes = Array("{\"t\":\"".utf8) + [0xE9] + Array("\",\"n\":1}".utf8)
        for (path, value) in [("t", "é"), ("n", "1")] {
            let values = JSONBodyValues.values(
                at: path, in: bytes.span, contentType: "application/json")
            #expect(values == [value])
        }
    }

    @Test func `each leaf of a JSON body is found at the path that is listed for it`() throws {
        let leaves = try JSONReader().read(Array(Self.body.utf8)).leaves()
        #expect(leaves.count == 9)
        for leaf in leaves {
            #expect(Self.values(leaf.path, Self.body).contains(leaf.value), "\(leaf.path)")
        }
    }

    @Test
    func `a scalar JSON body has the empty path, and a repeated member name gives both values`() {
        #expect(Self.values("", "7") == ["7"])
        #expect(Self.values("a", #"{"a": 1, "a": 2}"#) == ["1", "2"])
    }

    @Test func `the complete values of a truncated JSON body are found by their paths`() {
        #expect(Self.values("[0]", "[12, 3") == ["12"])
        #expect(Self.values("[0]", #"["whole", "#) == ["whole"])
        #expect(Self.values("[0]", #"["cu"#).isEmpty)
    }

    @Test func `bodies that are not JSON have no values at JSON paths`() {
        #expect(Self.values("a", "a=1", "application/x-www-form-urlencoded").isEmpty)
        #expect(Self.values("", "").isEmpty)
        #expect(Self.values("a", #"<p>{"a": 1}</p>"#, "text/html").isEmpty)
        #expect(Self.values("a", #"{"a": 1}"#, "text/html") == ["1"])
        #expect(Self.values("a", #"{"a": 1}"#, nil) == ["1"])
    }

    @Test func `at most 1,000 values are returned for one JSON path`() {
        let body = "{" + Array(repeating: #""a":1"#, count: 5_000).joined(separator: ",") + "}"
        #expect(Self.values("a", body).count == 1_000)
    }
}
