import ClientLib
import Testing

/// Redirects and cookies of httpbin.
@Suite(.enabled("httpbin could be had") { await HTTPBinServer.isThere() })
struct HTTPBinRedirectTests {
    private let session = Session()

    private func url(_ path: String) async throws -> String {
        try await HTTPBinServer.shared().url + path
    }

    @Test(arguments: [
        (301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "body"),
        (308, "POST", "body"),
    ])
    func `a POST keeps its method and body on 307 and 308, and becomes a GET on 301 to 303`(
        status: Int, method: String, body: String
    ) async throws {
        let response = await session.request(
            try await url("/redirect-to?url=%2Fanything&status_code=\(status)"), method: .post,
            headers: ["Content-Type": "text/plain"], body: .text("body")
        ).validate().serializingDecodable(HTTPBinEcho.self).response
        let echo = try response.result.get()
        #expect(echo.method == method)
        #expect(echo.data == body)
        #expect(response.exchanges.map { $0.response?.head.status } == [status, 200])
    }

    @Test(arguments: ["relative", "absolute"])
    func `every hop of a redirect chain from httpbin is recorded as an exchange`(kind: String)
        async throws
    {
        let response = await session.request(try await url("/\(kind)-redirect/3"))
            .validate().serializingDecodable(HTTPBinEcho.self).response
        #expect(response.exchanges.map { $0.response?.head.status } == [302, 302, 302, 200])
        let url = try await url("/get")
        #expect(try response.result.get().url == url)
    }

    @Test func `a redirect chain longer than the limit ends with an error`() async throws {
        let session = Session(
            redirectHandler: Redirector(behavior: .follow, policy: RedirectPolicy(countMax: 3)))
        let response = await session.request(try await url("/redirect/5"))
            .serializingResponse().response
        #expect(response.error?.kind == .redirectFailed(.tooMany))
        #expect(response.exchanges.count == 4)
    }

    @Test func `a session sends cookies back until the server deletes them`() async throws {
        let set = try await session.request(url("/cookies/set?a=1&b=two"))
            .serializingDecodable(HTTPBinEcho.self).value
        #expect(set.cookies == ["a": "1", "b": "two"])
        let deleted = try await session.request(url("/cookies/delete?a="))
            .serializingDecodable(HTTPBinEcho.self).value
        #expect(deleted.cookies == ["b": "two"])
        let stranger = Session()
        let other = try await stranger.request(url("/cookies"))
            .serializingDecodable(HTTPBinEcho.self).value
        #expect(other.cookies == [:])
    }
}
