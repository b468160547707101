import ProxydContentCoding
import ProxydPresentation
import Testing

/// JavaScript and CSS with line breaks and colours; the text itself is never changed.
struct CodeViewerTests {
    private func lines(_ text: String, _ type: String = "text/javascript") -> [String] {
        Viewed.lines("code", type, Array(text.utf8)).map { String($0.dropFirst(2)) }
    }

    @Test(arguments: [
        // After a value a slash divides, after an operator it starts an expression.
        ("a=b/c;d=/;/;e()", ["a=b/c;", "d=/;/;", "e()"]),
        ("f(/}/);g()", ["f(/}/);", "g()"]), ("a=1/2;b=x[0]/y;", ["a=1/2;", "b=x[0]/y;"]),
        ("a=/[/;]/;b()", ["a=/[/;]/;", "b()"]), ("a=/\\/;/;b()", ["a=/\\/;/;", "b()"]),
        ("a=\"\\\";\";b()", ["a=\"\\\";\";", "b()"]), ("a=';';b()", ["a=';';", "b()"]),
        ("a=`\n;${b};`;c()", ["a=`", ";${b};`;", "c()"]),
        ("// a;b\nc()", ["// a;b", "c()"]), ("/* a;\nb */c();d()", ["/* a;", "b */c();", "d()"]),
        ("for(;;){}", ["for(;;){", "}"]),
        (
            "a={b:{c:1}},d=2",
            ["a={", "  b:{", "    c:1", "  }", "},", "d=2"]
        ),
        ("}}}a()", ["}", "}", "}", "a()"]), ("", []), ("  \n ", []), ("a", ["a"]),
        ("if(a){b()}else{c()}", ["if(a){", "  b()", "}", "else{", "  c()", "}"]),
    ])
    func `the code viewer puts each JavaScript statement and block on its own line`(
        text: String, wanted: [String]
    ) {
        #expect(lines(text) == wanted)
    }

    @Test(arguments: [
        ("a{b:c}d{e:f}", ["a{", "  b:c", "}", "d{", "  e:f", "}"]),
        ("a:before{content:\"}\"}", ["a:before{", "  content:\"}\"", "}"]),
        // CSS has neither expressions nor comments to the end of the line.
        ("a{b:url(//x;y);c:1/2}", ["a{", "  b:url(//x;y);", "  c:1/2", "}"]),
        ("/* { */a{b:c}", ["/* { */a{", "  b:c", "}"]),
    ])
    func `in CSS, the code viewer does not read / or // as a JavaScript regex or comment`(
        text: String, wanted: [String]
    ) {
        #expect(lines(text, "text/css") == wanted)
    }

    private func styles(_ text: String, _ type: String = "text/javascript") -> [String] {
        let bytes = Array(text.utf8)
        var viewer = Viewed.viewer(
            "code", BodyFacts(contentType: type, bytes: bytes), LoadedBody(bytes))
        Viewed.finish(&viewer)
        return viewer.lines(0..<viewer.lineCount).flatMap(\.runs)
            .filter { !$0.text.allSatisfy { $0 == " " } }
            .map { run in
                let names: [(Style, String)] = [
                    (.keyword, "keyword"), (.number, "number"), (.string, "string"),
                    (.comment, "comment"), (.punctuation, "sign"), (.plain, "word"),
                ]
                return "\(names.first { $0.0 == run.style }?.1 ?? "?") \(run.text)"
            }
    }

    @Test func `the code viewer colours keywords, numbers, strings and comments`() {
        #expect(
            styles("return x1+42;")
                == [
                    "keyword return", "word x1", "sign +", "number 42", "sign ;",
                ])
        #expect(styles("'a' // b") == ["string 'a'", "comment // b"])
        #expect(styles("/a[/]b/g") == ["string /a[/]b/", "word g"])
        #expect(styles("returned") == ["word returned"])
        // CSS has no keywords of JavaScript.
        #expect(styles("return{}", "text/css").first == "word return")
    }

    /// However code is broken into lines, nothing but white space at their ends is left out.
    @Test func `the code viewer loses no text of random JavaScript and CSS`() {
        var numbers = TestNumbers(seed: 21)
        let pieces = [
            "{", "}", ";", "(", ")", "/", "*", "//", "/*", "*/", "\"", "'", "`", "\\", "\n", " ",
            "a", "1", "é", "[", "]", "=", "return", ",", "\u{1B}",
        ]
        for type in ["text/javascript", "text/css"] {
            for _ in 0..<400 {
                let text = (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
                    pieces[Int.random(in: pieces.indices, using: &numbers)]
                }.joined()
                let bytes = Array(text.utf8)
                var viewer = Viewed.viewer(
                    "code", BodyFacts(contentType: type, bytes: bytes), LoadedBody(bytes))
                Viewed.finish(&viewer)
                let shown = viewer.lines(0..<viewer.lineCount).map(\.text).joined()
                #expect(
                    shown.filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace },
                    "\(text)")
            }
        }
    }

    @Test func `the code viewer splits a very long line between characters`() {
        let text = "a=\"" + String(repeating: "日", count: 4_000) + "\";b()"
        let found = lines(text)
        #expect(found.joined() == text)
        #expect(found.count > 2 && found.allSatisfy { $0.utf8.count <= 4_096 })
    }
}
