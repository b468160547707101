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

    @Test func `the web API's compare route compares the exchanges of two filters`() throws {
        let value = try store().json(
            "/api/v1/compare", [("before", "id=1"), ("after", "id=2")])
        let text = String(decoding: try JSONWriter().write(value), as: UTF8.self)
        #expect(text.contains("/api/v1/a") && text.contains("/api/v1/b"))
        let same = try store().json("/api/v1/compare", [("before", "id=1"), ("after", "id=5")])
        let equal = String(decoding: try JSONWriter().write(same), as: UTF8.self)
        #expect(!equal.contains("/api/v1/b"))
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
