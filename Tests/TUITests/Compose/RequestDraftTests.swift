import ProxydContentCoding
import ProxydHTTPModel
import ProxydParameterCoding
import Testing

@testable import ProxydTUI

/// Changing one part of a request leaves every other byte alone.
struct RequestDraftTests {
    private func draft(
        _ origin: String = "/p%2fq?a=%7e&&b&c=x+y", _ fields: String = "", _ body: String = ""
    ) throws -> RequestDraft {
        let text = "POST \(origin) HTTP/1.1\r\nhOsT:api.test\r\nX-A:  1 \r\n\(fields)\r\n"
        let bytes = Array(text.utf8)
        var lines: [HeaderFields.Line] = []
        var start = text.utf8.prefix { $0 != 0x0A }.count + 1
        for line in text.dropLast(2).split(separator: "\r\n").dropFirst() {
            let colon = line.utf8.prefix { $0 != UInt8(ascii: ":") }.count
            let value = line.utf8.dropFirst(colon + 1)
            let leading = value.prefix { $0 == 0x20 }.count
            let trailing = value.reversed().prefix { $0 == 0x20 }.count
            let name = Array(line.utf8.prefix(colon))
            let count = line.utf8.count
            lines.append(
                HeaderFields.Line(
                    start: UInt32(start), nameEnd: UInt32(start + colon),
                    valueStart: UInt32(start + colon + 1 + leading),
                    valueEnd: UInt32(start + count - trailing), end: UInt32(start + count + 2),
                    name: FieldName(name.span)))
            start += count + 2
        }
        let target = Array(origin.utf8)
        let head = RequestHead(
            bytes: bytes, method: .post, targetRange: 5..<5 + target.count, version: .http11,
            fields: HeaderFields(bytes: bytes, lines: lines))
        let url = RawURL(scheme: "http", host: "api.test", port: 80, origin: target)
        return try #require(
            RequestDraft(Request(url: url, head: head, body: Body(Array(body.utf8)))))
    }

    private func lines(_ draft: RequestDraft) -> String {
        var bytes: [UInt8] = []
        draft.request.head?.fields.write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a request draft that is not edited keeps the bytes of the captured request`() throws
    {
        let draft = try draft()
        #expect(draft.request.url?.description == "http://api.test/p%2fq?a=%7e&&b&c=x+y")
        #expect(lines(draft) == "hOsT:api.test\r\nX-A:  1 \r\n")
    }

    @Test func `editing one query parameter of a draft leaves the bytes of the others unchanged`()
        throws
    {
        var grid = ComposeGrid(try draft())
        try grid.set(.query, 3, .value, "ü&z")
        #expect(grid.draft.url.description == "http://api.test/p%2fq?a=%7e&&b&c=%C3%BC%26z")
        try grid.set(.query, 0, .name, "n")
        try grid.insert(.query, 4, name: "new", value: "1")
        _ = grid.move(.query, 2, by: 1)
        grid.remove(.query, 1)
        #expect(grid.draft.url.description == "http://api.test/p%2fq?n=%7e&c=%C3%BC%26z&b&new=1")
    }

    @Test func `setting a query parameter to the value it already has keeps its encoding`() throws {
        var grid = ComposeGrid(try draft())
        try grid.set(.query, 0, .value, "~")
        #expect(grid.draft.url.description.hasSuffix("?a=%7e&&b&c=x+y"))
    }

    @Test func `removing the last query parameter of a draft removes the question mark`() throws {
        var grid = ComposeGrid(try draft("/x?a=1"))
        grid.remove(.query, 0)
        #expect(grid.draft.url.description == "http://api.test/x")
    }

    @Test
    func `editing one header field of a request draft leaves the lines of the others unchanged`()
        throws
    {
        var grid = ComposeGrid(try draft())
        try grid.set(.headers, 1, .value, "2")
        #expect(lines(grid.draft) == "hOsT:api.test\r\nX-A:  2\r\n")
        try grid.set(.headers, 1, .name, "x-b")
        try grid.insert(.headers, 2, name: "X-C", value: "3")
        _ = grid.move(.headers, 2, by: -1)
        #expect(lines(grid.draft) == "hOsT:api.test\r\nX-C: 3\r\nx-b:  2\r\n")
        grid.remove(.headers, 2)
        #expect(lines(grid.draft) == "hOsT:api.test\r\nX-C: 3\r\n")
        let isMoved = grid.move(.headers, 0, by: -1)
        #expect(!isMoved)
    }

    @Test(arguments: [("a b", ""), ("", ""), ("A:", ""), ("A", "x\ny"), ("A", " x")])
    func `a request draft rejects invalid header field names and values`(
        _ name: String, _ value: String
    ) throws {
        var grid = ComposeGrid(try draft())
        #expect(throws: RequestDraft.Problem.self) {
            try grid.insert(.headers, 0, name: name, value: value)
        }
        #expect(grid.draft.fields.count == 2)
    }

    @Test
    func `editing one form field of a request draft leaves the bytes of the others unchanged`()
        throws
    {
        let type = "Content-Type: application/x-www-form-urlencoded\r\n"
        var grid = ComposeGrid(try draft("/", type, "a=%7e&b=1"))
        try grid.set(.form, 1, .value, "2 3")
        #expect(grid.draft.request.body.kept == Array("a=%7e&b=2%203".utf8))
    }

    @Test
    func `a request draft sends a compressed body as captured, but an edited body uncompressed`()
        throws
    {
        let coded = try ContentCodingSample.gzip("{}")
        let fields = HeaderFields([(name: "Content-Encoding", value: "gzip")])
        let url = RawURL(scheme: "http", host: "h", port: 80, origin: [0x2F])
        let head = RequestHead(method: .post, target: [0x2F], fields: fields)
        var draft = try #require(RequestDraft(Request(url: url, head: head, body: Body(coded))))
        #expect(draft.body.bytes == Array("{}".utf8))
        #expect(draft.request.body.kept == coded)
        try draft.setText(Array("[]".utf8))
        #expect(draft.request.body.kept == Array("[]".utf8))
        #expect(draft.request.head?.fields["Content-Encoding"] == nil)
    }

    @Test(arguments: [("gzip", "gzip"), ("utf-8, zstd", "utf-8, zstd")])
    func `editing a body that was not encoded as declared leaves Content-Encoding unchanged`(
        coding: String, left: String
    ) throws {
        let fields = HeaderFields([(name: "Content-Encoding", value: coding)])
        let url = RawURL(scheme: "http", host: "h", port: 80, origin: [0x2F])
        let head = RequestHead(method: .post, target: [0x2F], fields: fields)
        let body = Body(Array("{}".utf8))
        var draft = try #require(RequestDraft(Request(url: url, head: head, body: body)))
        #expect(draft.body.bytes == Array("{}".utf8) && draft.body.isReadable)
        try draft.setText(Array("[]".utf8))
        #expect(draft.request.body.kept == Array("[]".utf8))
        #expect(draft.request.head?.fields["Content-Encoding"] == left)
    }

    @Test
    func `a truncated body is reported as incomplete in a request draft until it is replaced`()
        throws
    {
        let url = RawURL(scheme: "http", host: "h", port: 80, origin: [0x2F])
        let head = RequestHead(method: .post, target: [0x2F], fields: HeaderFields())
        let body = Body(byteCount: 900, kept: [1, 2])
        var draft = try #require(RequestDraft(Request(url: url, head: head, body: body)))
        #expect(draft.body.isIncomplete)
        try draft.setText([3])
        #expect(!draft.body.isIncomplete && draft.body.problem == nil)
    }

    @Test(arguments: ["", "x", "ftp://a/", "http://", "http://a:0/", "http://u@a/", "http://a b/"])
    func `a request draft rejects an invalid URL`(_ text: String) throws {
        var draft = try draft()
        #expect(throws: RequestDraft.Problem.self) { try draft.setURL(text) }
    }

    @Test func `a request draft keeps the bytes of a URL and drops its fragment`() throws {
        var draft = try draft()
        try draft.setURL("HTTPS://[::1]:8443/%7e?x#top")
        #expect(
            draft.url
                == RawURL(
                    scheme: "https", host: "::1", port: 8443, origin: Array("/%7e?x".utf8)))
        #expect(draft.query.pairs.map(\.name) == ["x"])
    }

    @Test func `a request draft accepts any method without spaces except CONNECT`() throws {
        var draft = try draft()
        try draft.setMethod("BREW")
        #expect(draft.method == "BREW")
        #expect(throws: RequestDraft.Problem.self) { try draft.setMethod("A B") }
        #expect(throws: RequestDraft.Problem.self) { try draft.setMethod("CONNECT") }
    }

    @Test
    func `editing a request head in the external editor keeps the spelling of its field names`()
        throws
    {
        let draft = try draft()
        let text = HeadText.bytes(of: draft)
        #expect(
            String(decoding: text, as: UTF8.self)
                == "POST http://api.test/p%2fq?a=%7e&&b&c=x+y HTTP/1.1\nhOsT:api.test\nX-A:  1\n")
        var copy = draft
        copy.take(try HeadText(text + [0x0A, 0x0A], former: draft))
        #expect(lines(copy) == "hOsT:api.test\r\nX-A:  1\r\n")
        #expect(copy.url == draft.url)
    }

    @Test(arguments: ["", "POST", "GET / HTTP/1.1\nA b\n", "GET ftp://a/ HTTP/1.1\n"])
    func `a malformed request head from the editor is rejected`(_ text: String) throws {
        let draft = try draft()
        #expect(throws: RequestDraft.Problem.self) {
            try HeadText(Array(text.utf8), former: draft)
        }
    }

    @Test(arguments: ["a\nb\r\nc", "", "a", "a\n", "\r\n\r\n", "a\r"])
    func `splitting a body into lines and joining them again restores its bytes`(_ text: String) {
        let bytes = Array(text.utf8)
        let lines = ComposeText(bytes)
        #expect(lines.replacing(99, by: "") == bytes)
        #expect(lines.moving(0, to: 99) == bytes)
    }

    @Test
    func `a line of a body is changed, added, moved or removed without touching the other lines`() {
        let text = ComposeText(Array("a\r\nb\r\nc".utf8))
        let shown = { (bytes: [UInt8]) in String(decoding: bytes, as: UTF8.self) }
        #expect(shown(text.replacing(1, by: "x")) == "a\r\nx\r\nc")
        #expect(shown(text.inserting("x", at: 3)) == "a\r\nb\r\nc\r\nx")
        #expect(shown(text.inserting("x", at: 0)) == "x\r\na\r\nb\r\nc")
        #expect(shown(text.removing(2)) == "a\r\nb")
        #expect(shown(text.moving(0, to: 2)) == "b\r\nc\r\na")
        #expect(shown(ComposeText([]).inserting("x", at: 0)) == "x")
        #expect(ComposeText([0xFF]).lines == nil)
    }
}

enum ContentCodingSample {
    static func gzip(_ text: String) throws -> [UInt8] {
        try ContentEncoder.encode(Array(text.utf8).span, as: .gzip)
    }
}
