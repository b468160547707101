import ClientLib
import ProxydClientTargets
import Testing

struct TargetURLTests {
    private func url(_ base: RawURL, _ path: String) throws -> String {
        var target = SampleTarget()
        target.baseURL = base
        target.path = path
        return try target.endpoint().url.description
    }

    @Test func `an empty path leaves the base URL as it is`() throws {
        #expect(try url("https://api.test/a/", "") == "https://api.test/a/")
        #expect(try url("https://api.test/a?b=c", "") == "https://api.test/a?b=c")
    }

    @Test func `base and path are joined by one slash`() throws {
        for base: RawURL in ["https://a.b/c", "https://a.b/c/"] {
            #expect(try url(base, "d/e") == "https://a.b/c/d/e")
            #expect(try url(base, "/d/e") == "https://a.b/c/d/e")
        }
        #expect(try url("https://a.b", "d/") == "https://a.b/d/")
    }

    @Test func `a question mark in a path begins a query`() throws {
        #expect(try url("https://a.b/c/", "/d?e=f") == "https://a.b/c/d?e=f")
        #expect(try url("https://a.b/c", "?e=f") == "https://a.b/c?e=f")
        #expect(try url("https://a.b/c", "d?e=?") == "https://a.b/c/d?e=?")
    }

    @Test func `the query of the base stays before that of the path`() throws {
        #expect(try url("https://a.b/c?k=1", "d?e=f") == "https://a.b/c/d?k=1&e=f")
        #expect(try url("https://a.b/c?k=1", "d") == "https://a.b/c/d?k=1")
    }

    @Test func `what a URL cannot hold is escaped, and escapes stay`() throws {
        #expect(try url("https://a.b", "é #1?q=a b") == "https://a.b/%C3%A9%20%231?q=a%20b")
        #expect(try url("https://a.b", "50%25/a%2Fb%3F") == "https://a.b/50%25/a%2Fb%3F")
        #expect(try url("https://a.b", "50%/%4") == "https://a.b/50%25/%254")
    }

    @Test func `parameters join the query of the path`() throws {
        var target = SampleTarget(
            .requestParameters(parameters: ["k": "v"], encoding: URLEncoding.queryString))
        target.path = "d?e=f"
        #expect(try target.endpoint().url.description == "https://api.test/v1/d?e=f&k=v")
    }

    @Test func `a base that is no URL fails when it is sent`() async {
        var target = SampleTarget()
        target.baseURL = "some invalid URL"
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        let error = await #expect(throws: ClientError.self) { try await provider.request(target) }
        #expect(error?.phase == .url)
        #expect(error?.fault == .caller)
    }
}
