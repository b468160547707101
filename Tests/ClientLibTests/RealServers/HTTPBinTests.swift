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
