import ProxydPresentation
import Testing

/// Parts of multipart bodies that are odd, and bodies that are not whole.
struct MultipartViewTests {
    private func viewer(_ text: String, _ type: String = "multipart/form-data; boundary=B")
        -> any BodyViewer
    {
        let bytes = Array(text.utf8)
        var viewer = Viewed.viewer(
            "parts", BodyFacts(contentType: type, bytes: bytes), LoadedBody(bytes))
        Viewed.finish(&viewer)
        return viewer
    }

    private func part(_ head: [String], _ content: String) -> String {
        (["--B"] + head + ["", content]).joined(separator: "\r\n") + "\r\n"
    }

    private func content(_ viewer: any BodyViewer, atLine line: Int) throws -> String {
        let part = try #require(viewer.nestedBody(atLine: line))
        return String(decoding: part.source.read(from: 0, byteCount: 10_000), as: UTF8.self)
    }

    @Test func `a multipart part in Base64 or quoted-printable is shown decoded`() throws {
        let base64 = viewer(
            part(["Content-Transfer-Encoding: base64", "Content-Type: text/plain"], "aGVsbG8=")
                + "--B--\r\n")
        #expect(try content(base64, atLine: 0) == "hello")
        #expect(Viewed.text(base64).last == "      hello")
        let quoted = viewer(
            part(["Content-Transfer-Encoding: quoted-printable"], "a=3Db=\r\nc") + "--B--\r\n")
        #expect(try content(quoted, atLine: 0) == "a=bc")
    }

    @Test
    func `multipart fields are decoded in the charset of the Content-Type or the _charset_ field`()
    {
        let field = Array(part(["Content-Disposition: form-data; name=a"], "").dropLast(1).utf8)
        let (value, end) = ([0x83, 0x41] as [UInt8], Array("\r\n--B--\r\n".utf8))
        let name = Array(part(["Content-Disposition: form-data; name=_charset_"], "SJIS").utf8)
        let type = "multipart/form-data; boundary=B"
        for (type, body) in [
            (type + "; charset=SJIS", field + value + end), (type, name + field + value + end),
            (type, field + value + Array("\r\n".utf8) + name + end.dropFirst(2)),
        ] {
            var viewer = Viewed.viewer(
                "parts", BodyFacts(contentType: type, bytes: body), LoadedBody(body))
            Viewed.finish(&viewer)
            #expect(Viewed.text(viewer).contains("      ア"), "\(type)")
        }
    }

    @Test func `a part that is itself multipart opens in the multipart viewer`() throws {
        let inner = "--C\r\nContent-Disposition: form-data; name=x\r\n\r\n1\r\n--C--\r\n"
        let outer = viewer(
            part(["Content-Type: multipart/mixed; boundary=C"], inner) + "--B--\r\n")
        let nested = try #require(outer.nestedBody(atLine: 0))
        #expect(BodyViewers.suited(to: nested.facts).first?.name == "parts")
        #expect(outer.remark == "1 part")
    }

    @Test func `the multipart viewer shows nested parts and the HTTP messages in them`() {
        let change = """
            --C
            Content-Type: application/http
            Content-ID: 1

            POST /People HTTP/1.1
            Content-Type: application/json

            {"ListId":19}
            --C--

            """
        let batch = viewer(
            part(
                ["Content-Type: multipart/mixed; boundary=C"],
                change.replacing("\n", with: "\r\n"))
                + part(["Content-Type: application/http"], "GET /Airlines HTTP/1.1\r\n\r\n")
                + "--B--\r\n", "multipart/mixed; boundary=B")
        let text = Viewed.text(batch).map { $0.trimmed }
        #expect(
            text == [
                "part 1  (no name)  133 B", "Content-Type: multipart/mixed; boundary=C",
                "part 1  (no name)  70 B", "Content-Type: application/http", "Content-ID: 1",
                "POST /People HTTP/1.1", "Content-Type: application/json", "", "{…}",
                "ListId: 19", "", "part 2  (no name)  26 B", "Content-Type: application/http",
                "GET /Airlines HTTP/1.1",
            ])
        #expect(batch.nestedBody(atLine: 5)?.title == "part 1: no name")
    }

    @Test func `the multipart viewer shows files in a nested multipart/mixed part`() {
        let files =
            "--Y\r\nContent-Disposition: file; filename=\"1.txt\"\r\n\r\nfirst file\r\n--Y--\r\n"
        let form = viewer(
            part(
                [
                    "Content-Disposition: form-data; name=files",
                    "Content-Type: multipart/mixed; boundary=Y",
                ], files) + "--B--\r\n")
        let text = Viewed.text(form)
        #expect(text.contains { $0.hasSuffix("  1.txt  10 B") })
        #expect(text.contains { $0.hasSuffix("    first file") })
    }

    @Test func `the multipart viewer shows at most five levels of nested parts`() {
        var inner = "--M0\r\n\r\nbottom\r\n--M0--\r\n"
        for level in 1...200 {
            inner =
                "--M\(level)\r\nContent-Type: multipart/mixed; boundary=M\(level - 1)\r\n\r\n"
                + inner + "\r\n--M\(level)--\r\n"
        }
        let deep = viewer(inner, "multipart/mixed; boundary=M200")
        let text = Viewed.text(deep)
        #expect(text.count { $0.contains("part 1") } == 5)
        #expect(text.last?.hasSuffix("… Enter shows all of it") == true)
    }

    @Test(
        arguments: [
            [0x00, 0x01, 0x02, 0x03], [0x80, 0x90, 0xA0], [0xE9, 0x74, 0xE9], [0xFF],
        ] as [[UInt8]])
    func `the multipart viewer shows a binary part as a hex dump`(bytes: [UInt8]) {
        let body =
            Array("--B\r\nContent-Type: application/octet-stream\r\n\r\n".utf8) + bytes
            + Array("\r\n--B--\r\n".utf8)
        let text = Viewed.lines("parts", "multipart/form-data; boundary=B", body)
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(text.last?.contains("00000000  " + digits.joined(separator: " ")) == true)
    }

    @Test func `the multipart viewer reports a missing closing boundary`() {
        let cut = viewer(part(["Content-Disposition: form-data; name=a"], "one"))
        #expect(Viewed.text(cut).last == "  the closing boundary is missing")
        #expect(viewer("").lineCount == 0)
        #expect(viewer("no boundary at all").remark == "0 parts")
    }

    @Test func `each line of the multipart viewer maps to its own part and byte offset`() throws {
        let both = viewer(
            part(["Content-Disposition: form-data; name=a"], "one")
                + part(["Content-Disposition: form-data; name=b; filename=f"], "two")
                + "--B--\r\n")
        let lines = Viewed.text(both)
        let second = try #require(lines.firstIndex { $0.hasPrefix("  part 2") })
        #expect(try content(both, atLine: 0) == "one")
        #expect(try content(both, atLine: second) == "two")
        #expect(both.nestedBody(atLine: second)?.title == "part 2: f")
        #expect(both.nestedBody(atLine: lines.count) == nil)
        #expect(both.nestedBody(atLine: -1) == nil)
        let offsets = lines.indices.compactMap { both.offset(ofLine: $0) }
        #expect(offsets == offsets.sorted())
        for (index, offset) in offsets.enumerated() {
            let line = try #require(both.line(atOffset: offset))
            #expect(both.offset(ofLine: line) == offset, "line \(index)")
        }
    }

    @Test
    func `the multipart viewer shows only a long part's first lines, and no text past part 200`() {
        let long = viewer(
            part([], (0..<100).map { "line \($0)" }.joined(separator: "\n")) + "--B--\r\n")
        #expect(long.lineCount == 10)
        #expect(Viewed.text(long).last == "      … Enter shows all of it")
        let many = viewer((0..<300).map { part([], "text \($0)") }.joined() + "--B--\r\n")
        #expect(many.remark == "300 parts")
        let text = Viewed.text(many)
        #expect(text.contains("      text 199") && !text.contains("      text 200"))
    }

    @Test func `part names in a multipart body are decoded in the charset of its Content-Type`() {
        let bytes =
            Array("--B\r\nContent-Disposition: form-data; name=\"".utf8) + [0xE9]
            + Array("\"\r\n\r\nx\r\n--B--\r\n".utf8)
        var viewer = Viewed.viewer(
            "parts",
            BodyFacts(
                contentType: "multipart/form-data; boundary=B; charset=iso-8859-1",
                bytes: bytes), LoadedBody(bytes))
        Viewed.finish(&viewer)
        #expect(Viewed.text(viewer).first?.contains("é") == true)
    }
}

/// The view that a body gets, whatever it says it is.
struct ViewerChoiceTests {
    private func first(_ type: String?, _ bytes: [UInt8]) -> String? {
        BodyViewers.suited(to: BodyFacts(contentType: type, bytes: bytes)).first?.name
    }

    @Test(arguments: [
        ("application/problem+json", "{}", "json"),
        ("application/javascript", "f()", "code"), ("text/css", "a{}", "code"),
        ("image/svg+xml", "<svg/>", "markup"), ("application/atom+xml", "<feed/>", "markup"),
        ("image/png", "<html>502</html>", "markup"), ("font/woff2", "not found", "text"),
        ("bad type", "a", "text"),
    ])
    func `the body viewer is chosen by content type, or by the first bytes if the type is wrong`(
        type: String, text: String, name: String
    ) {
        #expect(first(type, Array(text.utf8)) == name)
    }

    @Test(arguments: ["application/x-protobuf", "application/grpc", "application/msgpack"])
    func `binary bodies declared as protobuf, gRPC or MessagePack open in the viewer of their type`(
        type: String
    ) {
        let expected =
            type.hasSuffix("msgpack")
            ? "msgpack" : type.hasSuffix("grpc") ? "messages" : "protobuf"
        #expect(first(type, [0x08, 0x96, 0x01, 0xFF]) == expected)
    }

    @Test func `the hex viewer is offered for every body, and viewer names are unique`() {
        for bytes in [[], [0], Array("{".utf8), [0xFF, 0xFE]] as [[UInt8]] {
            let names = BodyViewers.suited(to: BodyFacts(contentType: nil, bytes: bytes))
                .map { $0.name }
            #expect(names.contains("hex"))
            #expect(Set(names).count == names.count)
        }
        #expect(BodyViewers.named("nothing") == nil)
        for type in BodyViewers.all { #expect(BodyViewers.named(type.name) == type) }
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "▾" }.reversed().drop { $0 == " " }.reversed())
    }
}
