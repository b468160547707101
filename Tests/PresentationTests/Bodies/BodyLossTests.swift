import ProxydPresentation
import Testing

/// Viewers lay bodies out anew, and lose nothing of them but white space.
struct BodyLossTests {
    /// Bodies of pieces that mean something to a viewer, in any order.
    private func bodies(_ pieces: [String], count: Int, seed: UInt64) -> [String] {
        var numbers = TestNumbers(seed: seed)
        return (0..<count).map { _ in
            (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
                pieces.randomElement(using: &numbers) ?? ""
            }.joined()
        }
    }

    /// The text without white space.
    private func dense(_ text: String) -> String {
        text.filter { !$0.isWhitespace }
    }

    private func shown(_ viewer: String, _ type: String, _ text: String) -> String {
        let lines = Viewed.lines(viewer, type, Array(text.utf8))
        // Before the text of each line is a place for the sign of a fold.
        return dense(lines.map { String($0.dropFirst(2)) }.joined())
    }

    @Test func `the markup viewer shows every character of malformed HTML and XML`() {
        let pieces = [
            "<a>", "</a>", "<b x='1>2'>", "<br>", "<img/>", "<script>", "</script>", "<!--", "-->",
            "<![CDATA[", "]]>", "<?x", "?>", "<!DOCTYPE a>", "<", ">", "</", "/>", "text", " ",
            "\n", "&amp;", "\"", "'", "é", "<p>one", "<Title>", "</TITLE>", "< a>", "</>", "<>",
        ]
        for text in bodies(pieces, count: 400, seed: 3) {
            for type in ["text/html", "application/xml"] {
                // A line end within a tag is shown as an escape.
                let shown = shown("markup", type, text).replacing(#"\n"#, with: "")
                #expect(shown == dense(text), "\(type): \(text)")
            }
        }
    }

    @Test func `the code viewer shows every character of scripts and style sheets`() {
        let pieces = [
            "{", "}", "(", ")", ";", ",", "\"", "'", "`", "\\", "/", "/*", "*/", "//", "\n", " ",
            "if", "a", "0", "${", "[", "]", ":", "/a/g", "\\\"", "return ", "é", "=", "@media ",
        ]
        for text in bodies(pieces, count: 400, seed: 4) {
            for type in ["text/javascript", "text/css"] {
                #expect(shown("code", type, text) == dense(text), "\(type): \(text)")
            }
        }
    }

    @Test func `the JSON text viewer shows every character, even of invalid JSON`() {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"", "\\", "1", "true", "nul", " ", "\n", "é",
            "\"b\\\"c\"", "[]", "{}", "-", "x",
        ]
        for text in bodies(pieces, count: 400, seed: 5) {
            // White space in a string that a viewer shows as an escape is no loss, and is left out.
            let plain = text.replacing("\n", with: " ")
            #expect(shown("json text", "application/json", plain) == dense(plain), "\(plain)")
        }
    }

    @Test func `the text viewer shows every line unchanged`() {
        let pieces = ["a", " ", "\n", "\n\n", "é", "😀", "<", "{"]
        for text in bodies(pieces, count: 200, seed: 6) {
            let lines = Viewed.lines("text", "text/plain", Array(text.utf8))
                .map { String($0.dropFirst(2)) }
            var wanted = text.split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init)
            if wanted.last == "" { wanted.removeLast() }
            #expect(lines == wanted, "\(text)")
        }
    }

    @Test func `the event stream viewer shows the text of every field`() {
        let pieces = ["data:", "data: ", "event: x", "id", ":", " ", "\n", "\n\n", "a", "é"]
        for text in bodies(pieces, count: 200, seed: 7) {
            let lines = Viewed.lines("events", "text/event-stream", Array(text.utf8))
            // The number of an event stands before its first line.
            let shown = lines.map { dense(String($0.dropFirst(8))) }.joined()
            #expect(shown == dense(text), "\(text)")
        }
    }

    @Test func `indenting or compacting JSON changes only white space and is idempotent`() {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a b\"", "\"", "\\\"", "1", "true", " ", "\n", "é",
        ]
        for text in bodies(pieces, count: 400, seed: 8) {
            let bytes = Array(text.utf8)
            let indented = JSONTextLayout.indented(bytes)
            #expect(JSONTextLayout.compact(indented) == JSONTextLayout.compact(bytes), "\(text)")
            #expect(JSONTextLayout.indented(indented) == indented, "\(text)")
            let compact = JSONTextLayout.compact(bytes)
            #expect(JSONTextLayout.compact(compact) == compact, "\(text)")
            #expect(JSONTextLayout.indented(compact) == indented, "\(text)")
        }
    }

    @Test func `indented JSON has one line per member, and an empty array or object adds none`() {
        func indented(_ text: String) -> String {
            String(decoding: JSONTextLayout.indented(Array(text.utf8)), as: UTF8.self)
        }
        #expect(
            indented(#"{"a":[1,{}],"b":[ ],"c":{"d":null}}"#) == """
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": [],
                  "c": {
                    "d": null
                  }
                }
                """)
        #expect(indented("") == "")
        #expect(indented("  7  ") == "7")
    }
}
