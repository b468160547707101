import ProxydParameterCoding
import ProxydTestSupport
import ProxydWebServer
import Testing
import ProxydHTTPModel

struct ExchangeListTests {
    private func store() throws -> WebStore {
        try WebStore((1...7).map { Exchange.sample($0, "/p\($0)", status: 200 + Int($0)) })
    }

    private func ids(_ page: JSONValue) -> [String] {
        page["exchanges"]?.elements.compactMap { $0["id"]?.text } ?? []
    }

    @Test func `the web API lists exchanges newest first, each page with the position of the next`()
        throws
    {
        let store = try store()
        let first = try store.json("/api/v1/exchanges", [("limit", "3")])
        #expect(ids(first) == ["7", "6", "5"])
        let next = try #require(first["next"]?.text)
        let second = try store.json("/api/v1/exchanges", [("limit", "3"), ("before", next)])
        #expect(ids(second) == ["4", "3", "2"])
        let third = try store.json(
            "/api/v1/exchanges", [("limit", "3"), ("before", second["next"]?.text ?? "")])
        #expect(ids(third) == ["1"])
        #expect(third["next"] == .null)
    }

    @Test
    func `in the web API, the after parameter lists exchanges newer than a position, oldest first`()
        throws
    {
        let page = try store().json("/api/v1/exchanges", [("after", "4"), ("limit", "2")])
        #expect(ids(page) == ["5", "6"])
    }

    @Test func `in the web API, order=asc lists the oldest exchanges first`() throws {
        let page = try store().json("/api/v1/exchanges", [("order", "asc"), ("limit", "2")])
        #expect(ids(page) == ["1", "2"])
    }

    @Test func `a web API list sorted by a column can be paged forwards and backwards`() throws {
        let store = try store()
        let query = [("sort", "duration"), ("order", "desc"), ("limit", "3")]
        let first = try store.json("/api/v1/exchanges", query)
        #expect(ids(first) == ["7", "6", "5"])
        let down = try store.json(
            "/api/v1/exchanges", query + [("after", first["next"]?.text ?? "")])
        #expect(ids(down) == ["4", "3", "2"])
        let top = try #require(down["exchanges"]?.elements.first?["position"]?.text)
        let up = try store.json("/api/v1/exchanges", query + [("before", top)])
        #expect(ids(up) == ["5", "6", "7"])
    }

    @Test
    func `paging through a web API list sorted by path works with dots and non-ASCII characters`()
        throws
    {
        let store = try WebStore([
            Exchange.sample(1, "/a.b"), Exchange.sample(2, "/é"), Exchange.sample(3, "/a"),
        ])
        var seen: [String] = []
        var query = [("sort", "path"), ("limit", "1")]
        for _ in 0..<3 {
            let page = try store.json("/api/v1/exchanges", query)
            seen += ids(page)
            query = [("sort", "path"), ("limit", "1"), ("after", page["next"]?.text ?? "")]
        }
        #expect(seen == ["3", "1", "2"])
    }

    @Test
    func `each web API route that takes a filter answers an invalid one with 400 and the column`()
        throws
    {
        let store = try store()
        let paths = [
            "/api/v1/exchanges", "/api/v1/count", "/api/v1/summary", "/api/v1/branches",
            "/api/v1/filter/check",
        ]
        for path in paths {
            let response = store.response(.get, path, [("filter", "status=200 hots:x")])
            #expect(response.status == 400)
            let problem = try JSONReader().read(WebStore.bytes(response))
            #expect(problem["column"] == .number("12"), "\(path)")
        }
    }

    @Test(
        arguments: [
            ("limit", "0"), ("limit", "501"), ("limit", "x"), ("before", "x"), ("sort", "x"),
            ("order", "x"),
        ])
    func `the web API returns 400 for a list parameter that is unknown or out of range`(
        _ name: String, _ value: String
    ) throws {
        let response = try store().response(.get, "/api/v1/exchanges", [(name, value)])
        #expect(response.status == 400)
    }

    @Test func `an invalid position in a sorted web API list is answered with 400`() throws {
        let store = try store()
        for text in ["", "1", "1.i", "1.i.x", "1.t.***", "x.n.", "1.q.1"] {
            let response = store.response(
                .get, "/api/v1/exchanges", [("sort", "size"), ("after", text)])
            #expect(response.status == 400, "\(text)")
        }
    }

    @Test
    func `the web API's count and summary routes cover only the exchanges that match the filter`()
        throws
    {
        let store = try store()
        let filter = [("filter", "status>=205")]
        #expect(try store.json("/api/v1/count", filter)["count"] == .number("3"))
        let summary = try store.json("/api/v1/summary", filter)
        #expect(summary["count"] == .number("3"))
        #expect(summary["duration_ms"]?["max"] == .number("70.000"))
        #expect(summary["hosts"]?.elements.first?["name"]?.text == "api.test")
    }
}
