import ProxydHTTPModel
import ProxydParameterCoding
import ProxydTestSupport
import ProxydWebServer
import Testing

/// Requests at the edges of what routes take.
struct RouteEdgeTests {
    private func problem(_ response: WebResponse) throws -> (status: JSONValue?, detail: String) {
        let value = try JSONReader().read(WebStore.bytes(response))
        return (value["status"], value["detail"]?.text ?? "")
    }

    private func lines(_ value: JSONValue) -> [String] {
        (value["lines"]?.elements ?? []).map { line in
            (line["spans"]?.elements ?? []).compactMap { $0["text"]?.text }.joined()
        }
    }

    @Test func `a body view in the web API can be read page by page to its end`() throws {
        let text = (0..<25).map { "line \($0)" }.joined(separator: "\n")
        let store = try WebStore([Exchange.sample(1, body: text)])
        var seen: [String] = []
        var from: String? = "0"
        while let start = from {
            let page = try store.json(
                "/api/v1/exchanges/1/view/response", [("from", start), ("count", "10")])
            #expect(page["line_count"] == .number("25"))
            seen += lines(page)
            guard case .number(let next)? = page["next"] else { break }
            from = next
        }
        #expect(seen == (0..<25).map { "line \($0)" })
        let beyond = try store.json("/api/v1/exchanges/1/view/response", [("from", "99")])
        #expect(lines(beyond).isEmpty && beyond["next"] == .null)
    }

    @Test func `in the web API, a search in a body resumes where the previous one stopped`() throws
    {
        let text = (0..<30).map { $0 % 3 == 0 ? "Hit \($0)" : "miss \($0)" }
            .joined(separator: "\n")
        let store = try WebStore([Exchange.sample(1, body: text)])
        var seen: [String] = []
        var from = "0"
        for _ in 0..<10 {
            let page = try store.json(
                "/api/v1/exchanges/1/view/response",
                [("from", from), ("count", "4"), ("search", "hIT")])
            seen += lines(page)
            guard case .number(let next)? = page["next"] else { break }
            from = next
        }
        #expect(seen == stride(from: 0, to: 30, by: 3).map { "Hit \($0)" })
    }

    @Test(arguments: [
        ("from", "-1"), ("from", "x"), ("from", "9223372036854775808"), ("count", "0"),
        ("count", "5001"), ("count", ""), ("viewer", "none"), ("viewer", ""),
    ])
    func `the web API answers an invalid body view parameter with 400 and the parameter's name`(
        name: String, value: String
    ) throws {
        let store = try WebStore([Exchange.sample(1, body: "a")])
        let response = store.response(
            .get, "/api/v1/exchanges/1/view/response", [(name, value)])
        let told = try problem(response)
        #expect(told.status == .number("400"))
        #expect(told.detail.contains(name))
    }

    @Test
    func `a web API body view that starts at the largest 64-bit integer is rejected with 400`()
        throws
    {
        let store = try WebStore([Exchange.sample(1, body: "a")])
        let path = "/api/v1/exchanges/1/view/response"
        let last = "9223372036854775807"
        #expect(store.response(.get, path, [("from", last)]).status == 400)
        #expect(store.response(.get, path, [("from", last), ("search", "a")]).status == 400)
        let near = try store.json(path, [("from", "9000000000000000000"), ("count", "1")])
        #expect(near["next"] == .null)
    }

    @Test
    func `web API paging positions work with any path text, and altered positions are rejected`()
        throws
    {
        let paths = ["/.", "/..", "/a.n.", "/1.t.x", "/%00", "/\u{E9}"]
        let store = try WebStore(
            paths.enumerated().map { Exchange.sample(Int64($0.offset + 1), $0.element) })
        var seen: [String] = []
        var query = [("sort", "path"), ("limit", "1")]
        for _ in 0..<10 {
            let page = try store.json("/api/v1/exchanges", query)
            seen += (page["exchanges"]?.elements ?? []).compactMap { $0["id"]?.text }
            guard let next = page["next"]?.text else { break }
            query = [("sort", "path"), ("limit", "1"), ("after", next)]
        }
        #expect(seen.count == paths.count)
        #expect(Set(seen).count == paths.count)
        for text in ["1.t.gA==", "1..", "9223372036854775808.n.", "-.n.", "1.i.1.5"] {
            let response = store.response(
                .get, "/api/v1/exchanges", [("sort", "path"), ("after", text)])
            #expect(response.status == 400, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("/api/v1/exchanges", [("before", "1"), ("after", "2")]),
            ("/api/v1/exchanges", [("order", "ASC")]), ("/api/v1/exchanges", [("limit", "+")]),
            ("/api/v1/exchanges", [("before", "-1")]), ("/api/v1/compare", [("before", "hots:x")]),
            ("/api/v1/compare", [("after", "status>")]),
            ("/api/v1/compare", [("any_server", "yes")]),
            ("/api/v1/compare", [("limit", "0")]), ("/api/v1/compare", [("match", "nothing")]),
            ("/api/v1/exchanges/1/body/response", [("decoded", "1")]),
            ("/api/v1/diff", [("left", "1"), ("right", "x")]), ("/api/v1/diff", []),
        ] as [(String, [(String, String)])])
    func `the web API answers invalid or contradictory query parameters with 400`(
        path: String, query: [(String, String)]
    ) throws {
        let store = try WebStore([Exchange.sample(1), Exchange.sample(2)])
        let response = store.response(.get, path, query)
        #expect(response.status == 400)
        #expect(try !problem(response).detail.isEmpty)
    }

    @Test(
        arguments: [
            (HTTPMethod.post, "/api/v1/exchanges/1"), (.put, "/api/v1/exchanges"),
            (.get, "/api/v1/exchanges/1/replay"), (.delete, "/api/v1/exchanges/1/body/response"),
            (.post, "/api/v1/count"),
        ] as [(HTTPMethod, String)])
    func `an unsupported method on a web API path is answered with 405 and an Allow header`(
        method: HTTPMethod, path: String
    ) throws {
        let response = try WebStore([Exchange.sample(1)]).response(method, path)
        #expect(response.status == 405)
        let allowed = try #require(response.fields.first { $0.name == "Allow" }?.value)
        #expect(!allowed.isEmpty && !allowed.contains(method.rawValue))
    }

    @Test
    func `the web API returns 404 for the head of a missing response and 200 for an empty body`()
        throws
    {
        var failed = Exchange.sample(1)
        failed.response = nil
        failed.state = .failed
        let store = try WebStore([failed, Exchange.sample(2)])
        #expect(store.response(.get, "/api/v1/exchanges/1/head/response").status == 404)
        #expect(store.response(.get, "/api/v1/exchanges/1/head/request").status == 200)
        #expect(store.response(.get, "/api/v1/exchanges/2/body/response").status == 200)
        let view = try store.json("/api/v1/exchanges/2/view/response")
        #expect(view["complete"] == .bool(true))
    }

    @Test(
        arguments: [
            "", "/head/request", "/head/response", "/body/request", "/body/response",
            "/view/request", "/image/response", "/messages", "/timeline", "/changes",
            "/certificates", "/copy/curl",
        ])
    func `every web API route under the path of an unknown exchange returns 404`(path: String)
        throws
    {
        let store = try WebStore([Exchange.sample(1)])
        let response = store.response(.get, "/api/v1/exchanges/999999999\(path)")
        #expect(response.status == 404)
        #expect(try problem(response).detail == "there is no exchange 999999999")
    }

    @Test
    func `the web API serves captured bytes as sandboxed attachments that browsers do not render`()
        throws
    {
        let page = "<script>alert(1)</script>"
        let store = try WebStore([
            Exchange.sample(1, method: "POST", type: "text/html", body: page, requestBody: page)
        ])
        for path in ["body/request", "body/response", "head/request", "head/response"] {
            let response = store.response(.get, "/api/v1/exchanges/1/\(path)")
            let fields = Dictionary(
                response.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            #expect(fields["Content-Type"] == "application/octet-stream", "\(path)")
            #expect(fields["Content-Disposition"]?.hasPrefix("attachment;") == true, "\(path)")
            let policy = fields["Content-Security-Policy"] ?? ""
            #expect(policy.hasPrefix("sandbox; default-src 'none';"), "\(path): \(policy)")
        }
        let image = store.response(.get, "/api/v1/exchanges/1/image/response")
        #expect(image.status == 415)
    }
}
