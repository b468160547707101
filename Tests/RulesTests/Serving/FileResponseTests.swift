import ProxydHTTPModel
import ProxydRules
import Testing

@Suite struct FileResponseTests {
    /// Monday, 23 November 2026, 10:00.
    private static let modified: Int64 = 1_795_428_000
    private static let date = "Mon, 23 Nov 2026 10:00:00 GMT"

    private func answer(
        _ request: [(name: String, value: String)] = [], method: HTTPMethod = .get,
        byteCount: Int64 = 10, name: String = "a.txt", extra: [(name: String, value: String)] = []
    ) -> FileResponse {
        answer(
            .file(
                ServedFile(
                    name: name, byteCount: byteCount, modifiedSeconds: FileResponseTests.modified)),
            request, method: method, extra: extra)
    }

    private func answer(
        _ find: ServedFind, _ request: [(name: String, value: String)] = [],
        method: HTTPMethod = .get, origin: String = "/static/d?x=1",
        extra: [(name: String, value: String)] = []
    ) -> FileResponse {
        let url = RawURL(scheme: "http", host: "cdn.test", port: 80, origin: Array(origin.utf8))
        return FileResponse(
            find, to: method, url, HeaderFields(request), extra: HeaderFields(extra))
    }

    @Test
    func `a served file is sent with its type and date, Accept-Ranges and the rule's own fields`() {
        let plain = answer()
        #expect(plain.status == 200)
        #expect(
            plain.fields.description == """
                Content-Type: text/plain; charset=utf-8
                Last-Modified: \(FileResponseTests.date)
                Accept-Ranges: bytes
                """)
        #expect(plain.content == .bytes(0..<10))
        let json = answer(name: "x.json", extra: [("Access-Control-Allow-Origin", "*")])
        #expect(
            json.fields.description == """
                Content-Type: application/json
                Last-Modified: \(FileResponseTests.date)
                Access-Control-Allow-Origin: *
                Accept-Ranges: bytes
                """)
        let own = answer(extra: [("content-type", "text/x")])
        #expect(own.fields.values(named: "Content-Type") == ["text/x"])
        #expect(answer(byteCount: 0).content == .bytes(0..<0))
    }

    @Test(arguments: [
        ("a.html", "text/html; charset=utf-8"), ("A.HTM", "text/html; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"), ("a.css", "text/css; charset=utf-8"),
        ("a.json", "application/json"), ("a.svg", "image/svg+xml"), ("a.png", "image/png"),
        ("a.wasm", "application/wasm"), ("blob.bin", "application/octet-stream"),
        ("README", "application/octet-stream"), (".html", "application/octet-stream"),
    ])
    func `the Content-Type of a served file depends on its name`(name: String, type: String) {
        #expect(answer(name: name).fields["Content-Type"] == type)
    }

    @Test(
        arguments: [
            ("bytes=2-5", 2..<6), ("bytes=0-0", 0..<1), ("bytes=5-", 5..<10), ("bytes=-3", 7..<10),
            ("bytes=-99", 0..<10), ("bytes=8-99", 8..<10), ("BYTES=1-2", 1..<3),
            ("bytes=9-99999999999999999999", 9..<10), ("bytes= 1-2 ", 1..<3),
        ] as [(String, Range<Int64>)])
    func `a valid Range request for a served file gets 206 and that part`(
        range: String, part: Range<Int64>
    ) {
        let answer = answer([("Range", range)])
        #expect(answer.status == 206)
        #expect(answer.content == .bytes(part))
        #expect(
            answer.fields.pairs.last?.value == "bytes \(part.lowerBound)-\(part.upperBound - 1)/10")
        #expect(
            answer.fields.pairs.map(\.name) == [
                "Content-Type", "Last-Modified", "Accept-Ranges", "Content-Range",
            ])
    }

    @Test(arguments: [
        "bytes=0-1,3-4", "bytes=5-2", "bytes=a-b", "bytes=", "bytes=-", "lines=1-2", "bytes", "1-2",
        "bytes=1", "bytes=1-2-3", "bytes=--3", "bytes=+1-2",
    ])
    func `a request for several ranges or an invalid range gets the whole served file`(
        range: String
    ) {
        let answer = answer([("Range", range)])
        #expect(answer.status == 200)
        #expect(answer.content == .bytes(0..<10))
    }

    @Test func `a request with two Range fields gets the whole served file`() {
        #expect(answer([("Range", "bytes=0-1"), ("range", "bytes=3-4")]).status == 200)
    }

    @Test(arguments: [("bytes=10-", 10), ("bytes=11-12", 10), ("bytes=-0", 10), ("bytes=0-", 0)])
    func `a range beyond the end of a served file gets 416 with the file's length`(
        range: String, byteCount: Int64
    ) {
        let answer = answer([("Range", range)], byteCount: byteCount)
        #expect(answer.status == 416)
        #expect(answer.fields.description == "Content-Range: bytes */\(byteCount)")
        #expect(answer.content == .none)
    }

    @Test func `a request for the last bytes of an empty served file gets 200`() {
        #expect(answer([("Range", "bytes=-5")], byteCount: 0).status == 200)
    }

    @Test(arguments: [
        (FileResponseTests.date, 206), ("Mon, 23 Nov 2026 10:00:01 GMT", 200),
        ("Mon, 23 Nov 2026 09:59:59 GMT", 200), ("\"tag\"", 200),
    ])
    func `a request with If-Range gets a range of a served file only if the date matches exactly`(
        value: String, status: Int
    ) {
        #expect(answer([("Range", "bytes=0-1"), ("If-Range", value)]).status == status)
    }

    @Test(arguments: [
        (FileResponseTests.date, 304), ("Mon, 23 Nov 2026 10:00:01 GMT", 304),
        ("Mon, 23 Nov 2026 09:59:59 GMT", 200), ("yesterday", 200),
        ("Monday, 23-Nov-26 10:00:00 GMT", 304),
    ])
    func `If-Modified-Since gets 304 for a served file that has not changed`(
        value: String, status: Int
    ) {
        let answer = answer([("If-Modified-Since", value)], extra: [("X-A", "1")])
        #expect(answer.status == status)
        guard status == 304 else { return }
        #expect(
            answer.fields.description == "Last-Modified: \(FileResponseTests.date)\nX-A: 1")
        #expect(answer.content == .none)
    }

    @Test(arguments: [
        ("If-None-Match", "*", 304), ("If-None-Match", "\"a\"", 200), ("If-Match", "*", 200),
        ("If-Match", "\"a\"", 412), ("If-Unmodified-Since", FileResponseTests.date, 200),
        ("If-Unmodified-Since", "Mon, 23 Nov 2026 09:59:59 GMT", 412),
    ])
    func `If-None-Match, If-Match and If-Unmodified-Since are evaluated for a served file`(
        name: String, value: String, status: Int
    ) {
        #expect(answer([(name, value)]).status == status)
    }

    @Test func `If-None-Match takes precedence over If-Modified-Since for a served file`() {
        let fields = [
            (name: "If-None-Match", value: "\"a\""),
            (name: "If-Modified-Since", value: FileResponseTests.date),
        ]
        #expect(answer(fields).status == 200)
    }

    @Test func `HEAD for a served file gets the same header fields as GET and no content`() {
        let head = answer([("Range", "bytes=0-1")], method: .head)
        #expect(head.status == 200)
        #expect(head.fields == answer().fields)
        #expect(head.content == .head(byteCount: 10))
    }

    @Test(arguments: ["DELETE", "POST", "PUT", "OPTIONS", "get"])
    func `methods other than GET and HEAD get 405 for a served file`(method: String) {
        let answer = answer(method: HTTPMethod(rawValue: method))
        #expect(answer.status == 405)
        #expect(answer.fields.description == "Allow: GET, HEAD")
    }

    @Test(arguments: [
        ("/static/d", "/static/d/"), ("/static/d?x=1&y", "/static/d/?x=1&y"), ("/d?", "/d/?"),
        ("//evil.test", "/evil.test/"), ("///d", "/d/"), ("/a%20b", "/a%20b/"),
    ])
    func `a request for a served folder without a final slash is redirected to the path with one`(
        origin: String, location: String
    ) {
        let answer = answer(.folderWithoutSlash, origin: origin)
        #expect(answer.status == 301)
        #expect(answer.fields.description == "Location: \(location)")
        #expect(answer.content == .none)
    }

    @Test func `serving a missing file gives 404, and a forbidden file 403 without header fields`()
    {
        #expect(answer(.missing).status == 404)
        #expect(answer(.refused).status == 403)
        #expect(answer(.refused).fields.isEmpty)
        #expect(answer(.refused, method: .delete).status == 405)
    }
}
