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

    @Test func `an empty TargetType path leaves the base URL unchanged`() throws {
        #expect(try url("https://api.test/a/", "") == "https://api.test/a/")
        #expect(try url("https://api.test/a?b=c", "") == "https://api.test/a?b=c")
    }

    @Test func `the base URL and path of a TargetType are joined by exactly one slash`() throws {
        for base: RawURL in ["https://a.b/c", "https://a.b/c/"] {
            #expect(try url(base, "d/e") == "https://a.b/c/d/e")
            #expect(try url(base, "/d/e") == "https://a.b/c/d/e")
        }
        #expect(try url("https://a.b", "d/") == "https://a.b/d/")
    }

    @Test func `a question mark in a TargetType's path begins the query`() throws {
        #expect(try url("https://a.b/c/", "/d?e=f") == "https://a.b/c/d?e=f")
        #expect(try url("https://a.b/c", "?e=f") == "https://a.b/c?e=f")
        #expect(try url("https://a.b/c", "d?e=?") == "https://a.b/c/d?e=?")
    }

    @Test func `the query of a TargetType's base URL comes before the query of its path`() throws {
        #expect(try url("https://a.b/c?k=1", "d?e=f") == "https://a.b/c/d?k=1&e=f")
        #expect(try url("https://a.b/c?k=1", "d") == "https://a.b/c/d?k=1")
    }

    @Test
    func `invalid characters in a TargetType's path are percent-encoded, valid escapes are kept`()
        throws
    {
        #expect(try url("https://a.b", "é #1?q=a b") == "https://a.b/%C3%A9%20%231?q=a%20b")
        #expect(try url("https://a.b", "50%25/a%2Fb%3F") == "https://a.b/50%25/a%2Fb%3F")
        #expect(try url("https://a.b", "50%/%4") == "https://a.b/50%25/%254")
    }

    @Test func `the parameters of a TargetType are appended to the query of its path`() throws {
        var target = SampleTarget(
            .requestParameters(parameters: ["k": "v"], encoding: URLEncoding.queryString))
        target.path = "d?e=f"
        #expect(try target.endpoint().url.description == "https://api.test/v1/d?e=f&k=v")
    }

    @Test func `a request for a TargetType with an invalid base URL fails when it is sent`() async {
        var target = SampleTarget()
        target.baseURL = "some invalid URL"
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        let error = await #expect(throws: ClientError.self) { try await provider.request(target) }
        #expect(error?.phase == .url)
        #expect(error?.fault == .caller)
    }
}
