import ProxydPresentation
import Testing

struct BodyViewersJSONTests {
    private let sample = #"{"name":"Zoë","list":[1,true,null,[]],"deep":{"a":{"b":"c\nd"}},"e":{}}"#

    @Test func `the JSON tree viewer shows member names, element indexes and decoded strings`() {
        #expect(
            Viewed.text("json", "application/json", sample) == #"""
                ▾ {…}
                    name: "Zoë"
                ▾   list: […]
                      0: 1
                      1: true
                      2: null
                      3: []
                ▾   deep: {…}
                ▾     a: {…}
                        b: "c\nd"
                    e: {}
                """#)
    }

    @Test func `the JSON text viewer shows every token as it was written`() {
        #expect(
            Viewed.text("json text", "application/json", sample) == #"""
                ▾ {
                    "name": "Zoë",
                ▾   "list": [
                      1,
                      true,
                      null,
                      []
                    ],
                ▾   "deep": {
                ▾     "a": {
                        "b": "c\nd"
                      }
                    },
                    "e": {}
                  }
                """#)
    }

    @Test func `a folded JSON value shows its number of elements and can be unfolded`() throws {
        let bytes = Array(sample.utf8)
        for name in ["json", "json text"] {
            var viewer = Viewed.viewer(
                name, BodyFacts(contentType: "application/json", bytes: bytes), LoadedBody(bytes)
            )
            Viewed.finish(&viewer)
            let before = Viewed.text(viewer)
            let line = try #require(before.firstIndex { $0.contains("list") })
            let end = try #require(before.firstIndex { $0.contains("deep") })
            let isFolding = viewer.toggleFold(atLine: line)
            #expect(isFolding)
            Viewed.finish(&viewer)
            let folded = Viewed.text(viewer)
            #expect(folded[line].hasPrefix("▸"))
            #expect(folded[line].contains("[ 4 ]"))
            #expect(folded[line + 1] == before[end])
            let isUnfolding = viewer.toggleFold(atLine: line)
            #expect(isUnfolding)
            Viewed.finish(&viewer)
            #expect(Viewed.text(viewer) == before)
            let isFoldingScalar = viewer.toggleFold(atLine: 1)
            let isFoldingNothing = viewer.toggleFold(atLine: 10_000)
            #expect(!isFoldingScalar && !isFoldingNothing)
        }
    }

    @Test func `folding JSON at depth 1 leaves the outermost members visible`() {
        let bytes = Array(sample.utf8)
        var viewer = Viewed.viewer(
            "json", BodyFacts(contentType: "application/json", bytes: bytes), LoadedBody(bytes))
        let isFolding = viewer.setFoldDepth(1)
        #expect(isFolding)
        Viewed.finish(&viewer)
        #expect(
            Viewed.text(viewer) == [
                "▾ {…}", "    name: \"Zoë\"", "▸   list: [ 4 ]", "▸   deep: { 1 }", "    e: {}",
            ])
    }

    @Test func `several JSON texts in one body are shown one after another`() {
        #expect(
            Viewed.text("json text", "application/x-ndjson", "{\"a\":1}\n[2]\n3\n") == """
                ▾ {
                    "a": 1
                  }
                ▾ [
                    2
                  ]
                  3
                """)
    }

    @Test func `the JSON text viewer indents invalid JSON without changing its tokens`() {
        #expect(
            Viewed.text("json text", "application/json", #"{"a":tru, :]]}}"b" "c" 1e"#)
                == #"""
                ▾ {
                    "a": tru,
                    :\#(" ")
                  ]
                  ]
                  }
                  }
                  "b"
                  "c"
                  1e
                """#)
    }

    @Test func `the JSON viewers show the part of a truncated JSON text that is present`() {
        for text in [#"{"a":"b"#, #"{"a""#, "[1,2", "[", "{\"a\":", "\"\\"] {
            #expect(!Viewed.text("json", "application/json", text).isEmpty)
        }
        #expect(
            Viewed.text("json text", "application/json", #"{"a":["b"#) == """
                ▾ {
                ▾   "a": [
                      "b
                """)
    }

    @Test func `the JSON text viewer splits a long string into lines without losing characters`() {
        let long = String(repeating: "é\\\"", count: 5_000)
        let lines = Viewed.lines(
            "json text", "application/json", Array("[\"\(long)\",7]".utf8))
        #expect(lines.count > 4)
        #expect(lines.last == "  ]")
        #expect(lines[lines.count - 2] == "    7")
        let strings = lines[1..<(lines.count - 2)].map { $0.drop { $0 == " " } }
        #expect(strings.joined() == "\"\(long)\",")
        #expect(lines.allSatisfy { $0.utf8.count < 5_000 })
    }

    @Test func `the JSON viewers show 100,000 nested brackets on as many lines without crashing`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        for name in ["json", "json text"] {
            let lines = Viewed.lines(name, "application/json", bytes)
            #expect(lines.count == 100_000)
            #expect(lines.allSatisfy { $0.count < 100 })
        }
    }

    /// `[{"id":0,"x":"…"},…]` of 64 MB, each element 64 bytes.
    private static func large() -> CountingBody {
        let element = Array(
            (#"{"id":12345678,"name":"somebody","tags":["a","b"],"ok":true}"#
                + String(repeating: " ", count: 3) + ",").utf8)
        let byteCount = 64 << 20
        return CountingBody(byteCount: byteCount) { offset in
            if offset == 0 { return UInt8(ascii: "[") }
            if offset == byteCount - 1 { return UInt8(ascii: "]") }
            return element[(offset - 1) % element.count]
        }
    }

    @Test func `the first lines of a 64 MiB JSON body are shown after reading less than 2 MiB`() {
        let body = BodyViewersJSONTests.large()
        let beginning = body.read(from: 0, byteCount: 1_000)
        for name in ["json", "json text"] {
            let before = body.readByteCount
            var viewer = Viewed.viewer(
                name, BodyFacts(contentType: "application/json", bytes: beginning), body)
            viewer.advance(byteBudget: 1 << 20)
            #expect(viewer.lines(0..<50).count == 50)
            #expect(body.readByteCount - before < 2 << 20)
        }
    }

    @Test func `lines deep in a large JSON body are shown after reading less than 512 KiB`() {
        let body = BodyViewersJSONTests.large()
        var viewer = Viewed.viewer(
            "json text", BodyFacts(contentType: "application/json", bytes: []), body)
        viewer.advance(byteBudget: 2 << 20)
        let before = body.readByteCount
        let lines = viewer.lines(viewer.lineCount - 60..<viewer.lineCount)
        #expect(lines.count == 60)
        #expect(body.readByteCount - before < 512 << 10)
    }
}

struct JSONTextLayoutTests {
    private func indented(_ text: String) -> String {
        String(decoding: JSONTextLayout.indented(Array(text.utf8)), as: UTF8.self)
    }

    private func compact(_ text: String) -> String {
        String(decoding: JSONTextLayout.compact(Array(text.utf8)), as: UTF8.self)
    }

    @Test func `indenting JSON puts each member on its own line and keeps every token`() {
        let text = #"{ "a":[1.50, 2e3,[ ]],"b" :{}, "c\"\\":"x, {y}\u0041","a":null}"#
        #expect(
            indented(text) == #"""
                {
                  "a": [
                    1.50,
                    2e3,
                    []
                  ],
                  "b": {},
                  "c\"\\": "x, {y}\u0041",
                  "a": null
                }
                """#)
        #expect(
            compact(indented(text))
                == #"{"a":[1.50,2e3,[]],"b":{},"c\"\\":"x, {y}\u0041","a":null}"#)
    }

    @Test(arguments: ["", "1", "\"a b\"", "[]", "{}", "\"\\\\\"", "[[[]]]"])
    func `indenting and then compacting a short JSON value restores it`(text: String) {
        #expect(compact(indented(text)) == text)
    }

    @Test(arguments: ["]", "}]", "{,}", "\"\\", "[\"", ":::", "{\"a\":}", "[1,]"])
    func `indenting and then compacting invalid JSON loses at most one character`(text: String) {
        #expect(compact(indented(text)).count >= text.count - 1)
    }

    @Test
    func `the indentation of deeply nested JSON is limited, and compacting restores the text`() {
        let text = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(indented(text).utf8.count < 10_000 * 2 * 140)
        #expect(compact(indented(text)) == text)
    }
}
