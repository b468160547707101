import ProxydParameterCoding
import ProxydTestSupport
import ProxydWebServer
import Testing
import ProxydHTTPModel

struct ExchangeRouteTests {
    @Test
    func `the web API returns an exchange as proxyctl show --json does, but its ID as a string`()
        throws
    {
        let store = try WebStore([
            Exchange.sample(
                1, "/login?next=%2F", method: "POST", body: #"{"ok":true}"#,
                requestType: "application/x-www-form-urlencoded", requestBody: "user=bob&pin=1+2")
        ])
        let value = try store.json("/api/v1/exchanges/1")
        #expect(value["id"] == .string("1"))
        #expect(
            value["request"]?["form"]?.elements.last
                == .array([.string("pin"), .string("1 2")]))
        #expect(value["start_line"]?.text == "POST /login?next=%2F HTTP/1.1")
        #expect(value["cut"] == .bool(false))
    }

    @Test func `in a central store, web API routes use exchange IDs with the store name`() throws {
        let store = try WebStore([Exchange.sample(1), Exchange.sample(2)], storeName: "ci-17")
        let rows = try store.json("/api/v1/exchanges")["exchanges"]?.elements ?? []
        #expect(rows.map { $0["id"]?.text } == ["ci-17:2", "ci-17:1"])
        #expect(rows.map { $0["position"]?.text } == ["2", "1"])
        #expect(try store.json("/api/v1/exchanges/ci-17:2")["id"] == .string("ci-17:2"))
        let summary = try store.json("/api/v1/summary")
        #expect(summary["slowest"]?.elements.first?["id"]?.text?.hasPrefix("ci-17:") == true)
        let diff = try store.json("/api/v1/diff", [("left", "ci-17:1"), ("right", "ci-17:2")])
        #expect(diff["right"] == .string("ci-17:2"))
        let body = store.response(.get, "/api/v1/exchanges/ci-17:2/body/response")
        #expect(
            body.fields.contains {
                $0.name == "Content-Disposition"
                    && $0.value.contains("\"exchange-ci-17-2-response.body\"")
            })
        for path in ["2", "ci-18:2", "ci-17:9", "ci-17:"] {
            #expect(store.response(.get, "/api/v1/exchanges/\(path)").status == 404, "\(path)")
        }
    }

    @Test(
        arguments: [
            "/api/v1/exchanges/9", "/api/v1/exchanges/x", "/api/v1/exchanges/0",
            "/api/v1/exchanges/ci-17:1",
            "/api/v1/exchanges/9/view/request", "/api/v1/exchanges/1/view/trailer",
            "/api/v1/exchanges/9/body/response", "/api/v1/exchanges/1/copy/cobol",
            "/api/v1/values/nothing", "/page/nothing.js",
        ])
    func `the web API answers 404 for unknown exchanges, parts, languages, columns and files`(
        _ path: String
    ) throws {
        let store = try WebStore([Exchange.sample(1)])
        #expect(store.response(.get, path).status == 404)
    }

    @Test
    func `the web API truncates a long body in JSON and offers it as an octet-stream download`()
        throws
    {
        let body = String(repeating: "x", count: 300_000)
        let store = try WebStore([Exchange.sample(1, type: "text/html", body: body)])
        #expect(try store.json("/api/v1/exchanges/1")["cut"] == .bool(true))
        let response = store.response(.get, "/api/v1/exchanges/1/body/response")
        #expect(response.fields.contains { $0 == ("Content-Type", "application/octet-stream") })
        #expect(
            response.fields.contains {
                $0.name == "Content-Disposition" && $0.value.hasPrefix("attachment")
            })
    }

    @Test(
        arguments: [
            ("bytes=2-4", 206, "bytes 2-4/10"), ("bytes=8-", 206, "bytes 8-9/10"),
            ("bytes=-3", 206, "bytes 7-9/10"), ("bytes=8-99", 206, "bytes 8-9/10"),
            ("bytes=10-", 416, nil), ("bytes=0-9", 200, nil), ("bytes=0-1,3-4", 200, nil),
            ("bytes=x-", 200, nil), ("lines=1-2", 200, nil), ("bytes=4-2", 200, nil),
            ("bytes=9223372036854775807-", 416, nil), ("bytes=-0", 416, nil),
            ("bytes=4-9223372036854775807", 206, "bytes 4-9/10"),
            ("bytes=-9223372036854775807", 200, nil), ("bytes=0-9223372036854775807", 200, nil),
            ("bytes=--1", 200, nil), ("bytes=--9223372036854775808", 200, nil),
            ("bytes=+1-2", 200, nil), ("bytes=1-+2", 200, nil), ("bytes=-", 200, nil),
            ("bytes=5-2", 200, nil), ("bytes=1", 200, nil), ("bytes= 1-2", 200, nil),
            ("lines=1-2", 200, nil), ("bytes=9-9", 206, "bytes 9-9/10"),
        ] as [(String, Int, String?)])
    func `a Range request for a body is answered as RFC 9110 requires`(
        _ range: String, _ status: Int, _ contentRange: String?
    ) throws {
        let store = try WebStore([Exchange.sample(1, body: "0123456789")])
        let response = store.response(
            .get, "/api/v1/exchanges/1/body/response", fields: [("Range", range)])
        #expect(response.status == status)
        let field = response.fields.first { $0.name == "Content-Range" }
        #expect(field?.value == contentRange)
    }

    @Test func `the web API returns a body as the lines that the requested viewer shows`() throws {
        let store = try WebStore([
            Exchange.sample(1, type: "application/json", body: #"{"a":[1,2]}"#)
        ])
        let best = try store.json("/api/v1/exchanges/1/view/response")
        #expect(best["viewer"]?.text == "json")
        let hex = try store.json("/api/v1/exchanges/1/view/response", [("viewer", "hex")])
        #expect(hex["line_count"] == .number("1"))
        let found = try store.json(
            "/api/v1/exchanges/1/view/response", [("search", "A"), ("viewer", "json text")])
        #expect(found["lines"]?.elements.count == 1)
        #expect(found["next"] == .null)
        let wrong = store.response(
            .get, "/api/v1/exchanges/1/view/response", [("viewer", "x")])
        #expect(wrong.status == 400)
    }

    @Test
    func `the web API serves a body as an image only if it has the signature of a raster image`()
        throws
    {
        let store = try WebStore([
            Exchange.sample(1, type: "image/png", body: "<svg onload='x'/>"),
            Exchange.sample(2, type: "text/plain", body: "GIF89a..."),
        ])
        let svg = store.response(.get, "/api/v1/exchanges/1/image/response")
        #expect(svg.status == 415)
        let gif = store.response(.get, "/api/v1/exchanges/2/image/response")
        #expect(gif.fields.contains { $0 == ("Content-Type", "image/gif") })
    }

    @Test
    func `the web API's timeline runs from upload to delivery and lists the proxy's own time`()
        throws
    {
        let store = try WebStore([Exchange.sample(2)])
        let spans = try store.json("/api/v1/exchanges/1/timeline")["spans"]?.elements ?? []
        let proxy = spans.filter { $0["kind"]?.text == "proxy" }
        #expect(proxy.map { $0["duration_ms"] } == [.number("0.200")])
        #expect(spans.first?["name"]?.text == "upload")
        #expect(spans.last?["name"]?.text == "deliver")
    }

    @Test
    func `the web API's /changes route compares messages as received with messages as sent on`()
        throws
    {
        var exchange = Exchange.sample(1, "/a", body: "old")
        exchange.request.sentHead = Exchange.sample(1, "/b").request.head
        exchange.response?.sentBody = Body(Array("new".utf8))
        let sections = try WebStore([exchange]).json("/api/v1/exchanges/1/changes")["sections"]
        let kinds = sections?.elements.map { section in
            (section["lines"]?.elements ?? []).compactMap { $0["kind"]?.text }
        }
        #expect(kinds?.first?.filter { $0 != "same" } == ["removed", "added"])
        #expect(kinds?.last?.suffix(2) == ["removed", "added"])
        let plain = try WebStore([Exchange.sample(1)]).json("/api/v1/exchanges/1/changes")
        #expect(plain["sections"] == .array([]))
    }

    @Test func `the web API's diff route compares two exchanges line by line`() throws {
        let store = try WebStore([
            Exchange.sample(1, "/a", body: "same\nold"),
            Exchange.sample(2, "/b", body: "same\nnew"),
        ])
        let value = try store.json("/api/v1/diff", [("left", "1"), ("right", "2")])
        let sections = value["sections"]?.elements ?? []
        #expect(sections.map { $0["added"] } == [.number("1"), .number("1")])
        #expect(store.response(.get, "/api/v1/diff", [("left", "1")]).status == 400)
    }

    @Test func `the web API's diff route marks the words that differ in a changed line`() throws {
        let store = try WebStore([
            Exchange.sample(1, body: "state paid today"),
            Exchange.sample(2, body: "state sent today"),
        ])
        let value = try store.json("/api/v1/diff", [("left", "1"), ("right", "2")])
        let lines = value["sections"]?.elements.last?["lines"]?.elements ?? []
        let marked = lines.flatMap { $0["spans"]?.elements ?? [] }.filter {
            $0["marked"] == .bool(true)
        }
        #expect(marked.compactMap { $0["text"]?.text } == ["paid", "sent"])
    }

    @Test(
        arguments: [
            "fetch", "python", "swift",
        ])
    func `requests copied as fetch, Python or Swift code contain no invisible body characters`(
        _ language: String
    ) throws {
        let hostile = "\"; \\ ${x} \u{2028} \u{202E} `id`\n'"
        let store = try WebStore([
            Exchange.sample(1, "/a?b=1", method: "POST", requestBody: hostile)
        ])
        let response = store.response(.get, "/api/v1/exchanges/1/copy/\(language)")
        let text = String(decoding: try WebStore.bytes(response), as: UTF8.self)
        #expect(text.contains("http://api.test/a?b=1"))
        let escapes = text.unicodeScalars.filter { $0.value == 0x2028 || $0.value == 0x202E }
        #expect(escapes.isEmpty)
    }

    @Test func `the web API of a read-only store answers every change with 403`() throws {
        let store = try WebStore([Exchange.sample(1)])
        let changes = [
            store.response(.patch, "/api/v1/exchanges/1", body: #"{"note":"x"}"#),
            store.response(.delete, "/api/v1/exchanges", [("all", "true")]),
            store.response(.post, "/api/v1/exchanges/1/replay"),
            store.response(.put, "/api/v1/rules/file", body: #"{"text":"","before":""}"#),
        ]
        #expect(changes.map(\.status) == [403, 403, 403, 403])
    }
}
