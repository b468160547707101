import ClientLib
import Foundation
import ProxydTestSupport
import Testing

/// Requests that httpbin repeats in its answers.
@Suite(.enabled("httpbin could be had") { await HTTPBinServer.isThere() })
struct HTTPBinTests {
    private let session = Session()

    private func url(_ path: String) async throws -> String {
        try await HTTPBinServer.shared().url + path
    }

    @Test func `query parameters and header fields arrive at httpbin unchanged`() async throws {
        let echo = try await session.request(
            url("/get"), parameters: ["q": "caf\u{E9} & more", "page": 2],
            headers: HeaderFields([("X-Trace", "a, b")])
        ).validate().serializingDecodable(HTTPBinEcho.self).value
        #expect(echo.args == ["q": "caf\u{E9} & more", "page": "2"])
        #expect(echo.headers?["X-Trace"] == "a, b")
        #expect(echo.headers?["Accept-Encoding"] == DefaultHeaders.acceptEncoding)
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"])
    func `each HTTP method arrives at httpbin`(method: String) async throws {
        let echo = try await session.request(
            url("/anything"), method: HTTPMethod(rawValue: method)
        ).validate().serializingDecodable(HTTPBinEcho.self).value
        #expect(echo.method == method)
    }

    @Test func `the response to a HEAD has a Content-Length and no body`() async throws {
        let response = await session.request(try await url("/get"), method: .head)
            .serializingResponse().response
        #expect(response.response?.status == 200)
        #expect(response.data == nil)
        #expect(response.response?.fields["Content-Length"] != nil)
        // The connection is good for more: the length of HEAD is that of no body.
        #expect(try await session.request(url("/get")).serializingData().value.count > 2)
    }

    @Test func `URL-encoded form parameters arrive at httpbin`() async throws {
        let echo = try await session.request(
            url("/post"), method: .post, parameters: ["name": "Ada & Co", "tag": "+"]
        ).validate().serializingDecodable(HTTPBinEcho.self).value
        #expect(echo.form == ["name": "Ada & Co", "tag": "+"])
    }

    @Test func `JSON parameters arrive at httpbin`() async throws {
        let sent = ["name": "Ada", "note": "\u{1F600}\n"]
        let echo = try await session.request(
            url("/post"), method: .post, parameters: sent, encoder: JSONParameterEncoder.default
        ).validate().serializingDecodable(HTTPBinEcho.self).value
        #expect(echo.json == sent)
        #expect(echo.headers?["Content-Type"] == "application/json")
    }

    @Test func `a multipart form arrives at httpbin with its fields and files`() async throws {
        let scratch = try ScratchFolder()
        let file = try scratch.file("notes.txt", Array("text of a file".utf8))
        let echo = try await session.upload(
            multipartFormData: { form in
                form.append("Ada", name: "author")
                form.append(Array("bytes".utf8), name: "data", filename: "d \"1\".bin")
                try form.append(fileAt: file.path, name: "notes", fact: .file(byteCount: 14))
            }, to: url("/post")
        ).validate().serializingDecodable(HTTPBinEcho.self).value
        #expect(echo.form == ["author": "Ada"])
        #expect(echo.files == ["data": "bytes", "notes": "text of a file"])
    }

    @Test func `an upload stream of unknown length arrives at httpbin complete`() async throws {
        let pieces = AsyncStream<[UInt8]> { continuation in
            for number in 0..<100 { continuation.yield(Array("piece \(number)\n".utf8)) }
            continuation.finish()
        }
        let echo = try await session.upload(
            BodyStream(pieces), to: url("/post"), headers: ["Content-Type": "text/plain"]
        ).validate().serializingDecodable(HTTPBinEcho.self).value
        #expect(echo.data == (0..<100).map { "piece \($0)\n" }.joined())
        #expect(echo.headers?["Transfer-Encoding"] == "chunked")
    }

    @Test(arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
    func `a compressed response is decompressed`(path: String, key: String) async throws {
        let task = try await session.request(url("/\(path)")).validate().serializingJSON()
        let value = try await task.value
        guard case .object(let members) = value else {
            Issue.record("no object")
            return
        }
        #expect(members.first { $0.name == key }?.value == .bool(true))
        let head = await task.response.response
        #expect(head?.fields["Content-Encoding"] != nil)
    }

    @Test(arguments: [200, 201, 204, 304, 400, 404, 418, 429, 500, 503])
    func `validation accepts 2xx statuses and rejects others`(status: Int) async throws {
        let response = await session.request(try await url("/status/\(status)")).validate()
            .serializingResponse().response
        #expect(response.response?.status == status)
        let isGood = (200..<300).contains(status)
        #expect(
            response.error?.kind
                == (isGood
                    ? nil : .responseValidationFailed(.unacceptableStatusCode(code: status))))
    }

    @Test func `a slow server triggers the idle timeout, or the total timeout if that is set`()
        async throws
    {
        var request = HTTPRequest(url: try await url("/delay/5").asURL())
        request.timeouts = Timeouts(idle: .milliseconds(200))
        let idle = await session.request(request).serializingData().response
        #expect(idle.error?.kind == .timedOut(.idle))
        #expect(idle.error?.phase == .wait)
        request.timeouts = Timeouts(total: .milliseconds(200))
        let total = await session.request(request).serializingData().response
        #expect(total.error?.kind == .timedOut(.total))
    }

    @Test func `a request with a matching entity tag gets a 304 without a body`() async throws {
        let response = await session.request(
            try await url("/etag/v1"), headers: HeaderFields([("If-None-Match", "v1")])
        ).serializingResponse().response
        #expect(response.response?.status == 304)
        #expect(response.data == nil)
        let changed = await session.request(
            try await url("/etag/v2"), headers: HeaderFields([("If-None-Match", "v1")])
        ).serializingResponse().response
        #expect(changed.response?.status == 200)
    }
}

/// Challenges of httpbin.
@Suite(.enabled("httpbin could be had") { await HTTPBinServer.isThere() })
struct HTTPBinAuthenticationTests {
    private let session = Session()

    private func url(_ path: String) async throws -> String {
        try await HTTPBinServer.shared().url + path
    }

    private func statuses(
        _ path: String, _ credential: Credential
    ) async throws -> [Int?] {
        let response = await session.request(try await url(path)).authenticate(with: credential)
            .serializingResponse().response
        return response.exchanges.map { $0.response?.head.status }
    }

    @Test func `httpbin accepts Basic credentials after its challenge`() async throws {
        let credential = Credential(user: "ada", password: "s3cret:\u{E9}")
        #expect(
            try await statuses("/basic-auth/ada/s3cret:%C3%A9", credential) == [401, 200])
    }

    @Test func `a wrong Basic password is tried only once`() async throws {
        let credential = Credential(user: "ada", password: "wrong")
        #expect(try await statuses("/basic-auth/ada/right", credential) == [401, 401])
    }

    @Test(arguments: ["MD5", "SHA-256"], ["auth", "auth-int"])
    func `httpbin accepts Digest credentials for each algorithm and qop`(
        algorithm: String, quality: String
    ) async throws {
        let credential = Credential(user: "ada", password: "secret")
        #expect(
            try await statuses("/digest-auth/\(quality)/ada/secret/\(algorithm)", credential)
                == [401, 200])
    }

    @Test func `Digest with a wrong password ends with the server's 401`() async throws {
        let credential = Credential(user: "ada", password: "wrong")
        #expect(try await statuses("/digest-auth/auth/ada/right/MD5", credential) == [401, 401])
    }

    @Test func `httpbin accepts a Bearer token after its challenge`() async throws {
        #expect(try await statuses("/bearer", .bearer(token: "t0ken")) == [401, 200])
    }

    @Test func `an accepted credential is sent preemptively with the next request`() async throws {
        let credential = Credential(user: "ada", password: "again")
        let path = "/basic-auth/ada/again"
        #expect(try await statuses(path, credential) == [401, 200])
        #expect(try await statuses(path, credential) == [200])
    }
}

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

/// Responses that httpbin sends piece by piece.
@Suite(.enabled("httpbin could be had") { await HTTPBinServer.isThere() })
struct HTTPBinStreamTests {
    private let session = Session()

    private func url(_ path: String) async throws -> String {
        try await HTTPBinServer.shared().url + path
    }

    private func streamed(_ path: String) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in try await session.streamRequest(url(path)).streamingData() {
            bytes += piece
        }
        return bytes
    }

    @Test func `the lines of a chunked response arrive complete and in order`() async throws {
        let text = String(decoding: try await streamed("/stream/20"), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 20)
        for (number, line) in lines.enumerated() { #expect(line.contains("\"id\": \(number)}")) }
    }

    @Test func `a chunked response has the same bytes as one with a Content-Length`() async throws {
        let chunked = try await streamed("/stream-bytes/50000?seed=7&chunk_size=999")
        let whole = try await session.request(url("/bytes/50000?seed=7")).serializingData().value
        #expect(chunked == whole)
        #expect(chunked.count == 50_000)
    }

    @Test func `a response that is sent slowly is received completely`() async throws {
        #expect(
            try await streamed("/drip?numbytes=10&duration=1")
                == Array(repeating: UInt8(ascii: "*"), count: 10))
    }
}
