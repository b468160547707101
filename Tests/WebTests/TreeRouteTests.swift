import ProxydHTTPModel
import ProxydParameterCoding
import ProxydTestSupport
import ProxydWebServer
import Testing

/// The tree of servers and paths, the values of columns, and comparisons.
struct TreeRouteTests {
    private func store() throws -> WebStore {
        var other = Exchange.sample(4, "/x")
        other.request.url = RawURL(
            scheme: "https", host: "b.test", port: 8_443, origin: Array("/x".utf8))
        return try WebStore([
            .sample(1, "/api/v1/a"), .sample(2, "/api/v1/b", status: 500), .sample(3, "/api"),
            other, .sample(5, "/api/v1/a"),
        ])
    }

    private func branches(_ query: [(String, String)]) throws -> [String] {
        let value = try store().json("/api/v1/branches", query)
        return (value["branches"]?.elements ?? []).map { branch in
            guard case .number(let count)? = branch["count"] else { return "" }
            return "\(branch["kind"]?.text ?? "") \(branch["name"]?.text ?? "") \(count)"
        }.sorted()
    }

    @Test
    func `the web API's branches route lists servers, folders and paths with exchange counts`()
        throws
    {
        #expect(
            try branches([]) == ["server http://api.test:80 4", "server https://b.test:8443 1"])
        let server = ("server", "http://api.test:80")
        #expect(try branches([server]) == ["folder /api/ 3", "path /api 1"])
        #expect(try branches([server, ("folder", "/")]) == ["folder /api/ 3", "path /api 1"])
        #expect(try branches([server, ("folder", "/api/")]) == ["folder /api/v1/ 3"])
        #expect(
            try branches([server, ("folder", "/api/v1/")])
                == ["path /api/v1/a 2", "path /api/v1/b 1"])
        #expect(try branches([server, ("folder", "/none/")]).isEmpty)
        #expect(try branches([("server", "http://none.test:80")]).isEmpty)
    }

    @Test func `the web API's branches route applies the filter at every level`() throws {
        #expect(try branches([("filter", "status=500")]) == ["server http://api.test:80 1"])
        #expect(
            try branches([
                ("filter", "status=500"), ("server", "http://api.test:80"),
                ("folder", "/api/v1/"),
            ]) == ["path /api/v1/b 1"])
    }

    @Test(arguments: ["", "b.test", "http:", "http://b.test", "http://b.test:x"])
    func `an invalid server parameter of the branches route is answered with 400`(server: String)
        throws
    {
        let response = try store().response(.get, "/api/v1/branches", [("server", server)])
        #expect(response.status == 400)
    }

    @Test func `the web API's values route lists each value of a column once`() throws {
        let hosts = try store().json("/api/v1/values/host")["values"]?.elements ?? []
        #expect(Set(hosts.compactMap(\.text)) == ["api.test", "b.test"])
        #expect(hosts.count == 2)
    }

    @Test
    func `the web API's compare route compares the two sets of exchanges that two filters match`()
        throws
    {
        let (a, b) = ("GET http://api.test/api/v1/a", "GET http://api.test/api/v1/b")
        #expect(
            try compared("id=1", "id=2")
                == ["0 same", "1 new", "1 gone", "new \(b) - 2", "gone \(a) 1 -"])
        // The later one of the same request takes five times as long.
        let slower = "slower \(a) 1 5"
        #expect(try compared("id=1", "id=5") == ["1 same", "1 slower", slower])
        #expect(try compared("id=1", "id=1") == ["1 same"])
        #expect(try compared("id<3", "id=2 or id=5") == ["2 same", "1 slower", slower])
    }

    /// The numbers of a comparison, of the kinds only those that occur, then its differences.
    private func compared(_ before: String, _ after: String) throws -> [String] {
        let value = try store().json(
            "/api/v1/compare", [("before", before), ("after", after)])
        let differences = value["differences"]?.elements ?? []
        #expect(value["equal"] == .bool(differences.isEmpty))
        guard case .number(let same)? = value["same"] else { return [] }
        let counts = ["new", "gone", "changed", "slower"].compactMap { kind -> String? in
            guard case .number(let count)? = value["counts"]?[kind], count != "0" else {
                return nil
            }
            return "\(count) \(kind)"
        }
        let lines = differences.map { difference in
            ["kind", "request", "before", "after"].map { difference[$0]?.text ?? "-" }
                .joined(separator: " ")
        }
        return ["\(same) same"] + counts + lines
    }

    @Test func `the web API lists 50 exchanges by default, or up to the limit parameter`() throws {
        let store = try WebStore((1...60).map { .sample($0) })
        let rows = try store.json("/api/v1/exchanges")["exchanges"]?.elements ?? []
        #expect(rows.count == 50)
        let all = try store.json("/api/v1/exchanges", [("limit", "500")])
        #expect(all["exchanges"]?.elements.count == 60)
        #expect(all["next"] == .null)
        let exact = try store.json("/api/v1/exchanges", [("limit", "60")])
        #expect(exact["exchanges"]?.elements.count == 60)
        // Another page may follow a full one; it is empty.
        let next = try #require(exact["next"]?.text)
        let last = try store.json("/api/v1/exchanges", [("limit", "60"), ("before", next)])
        #expect(last["exchanges"]?.elements.isEmpty == true)
        #expect(last["next"] == .null)
    }
}
