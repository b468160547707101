import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

/// Downloads that are gone on with, and servers that make that hard.
struct DownloadResumptionTests {
    private static let whole = "0123456789"

    /// A server whose first response breaks off after five of ten bytes.
    private static func server(
        _ later: @escaping @Sendable (ScriptedServer.Received) -> [ScriptedServer.Step]
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            guard request.number > 1 else {
                return [
                    .text("HTTP/1.1 200 OK\r\nETag: \"v\"\r\nContent-Length: 10\r\n\r\n01234"),
                    .close,
                ]
            }
            return later(request)
        }
    }

    private static func range(
        _ range: String, _ body: String, tag: String = "\"v\"", more: [(String, String)] = []
    ) -> [ScriptedServer.Step] {
        ScriptedServer.response(
            206, body, headers: [("Content-Range", "bytes \(range)"), ("ETag", tag)] + more)
    }

    /// The rest of the file where a range is asked for, else all of it.
    private static func rest(_ request: ScriptedServer.Received) -> [ScriptedServer.Step] {
        guard request.header("Range") == "bytes=5-" else {
            return ScriptedServer.response(200, whole, headers: [("ETag", "\"v\"")])
        }
        return range("5-9/10", "56789")
    }

    private func broken(_ server: ScriptedServer) async throws -> DownloadResumeData {
        let response = await Session.default.download(server.url).serializingData().response
        return try #require(response.resumeData)
    }

    private func resumed(
        _ data: DownloadResumeData
    ) async -> DownloadResponse<[UInt8]> {
        await Session.default.download(resumingWith: data).validate().serializingData().response
    }

    private func remove(_ data: DownloadResumeData?) {
        if let data { try? FileManager.default.removeItem(atPath: data.filePath) }
    }

    @Test(arguments: ["\"other\"", "W/\"v\""])
    func `a resumed download rejects a range whose entity tag is weak or has changed`(tag: String)
        async throws
    {
        let server = try Self.server { _ in Self.range("5-9/10", "fghij", tag: tag) }
        let data = try await broken(server)
        let response = await resumed(data)
        #expect(response.error?.kind == .network(.malformedResponse))
        #expect(response.error?.fault == .server)
        #expect(response.resumeData == nil)
        #expect(!FileManager.default.fileExists(atPath: data.filePath))
    }

    @Test
    func `if a resumed download gets a range of a changed file, a retry downloads the whole file`()
        async throws
    {
        let server = try Self.server { request in
            guard request.header("Range") != nil else {
                return ScriptedServer.response(200, "abcdefghij")
            }
            return Self.range("5-9/10", "fghij", tag: "\"other\"")
        }
        let data = try await broken(server)
        let request = Session.default.download(resumingWith: data).interceptor(Again())
        #expect(try await request.serializingData().value == Array("abcdefghij".utf8))
        if let file = request.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test func `a resumed download rejects a range whose Last-Modified has changed`() async throws {
        let (old, new) = ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:01 GMT")
        let server = try ScriptedServer { request in
            guard request.header("Range") != nil else {
                let head = "HTTP/1.1 200 OK\r\nLast-Modified: \(old)\r\nContent-Length: 10\r\n\r\n"
                return [.text(head + "01234"), .close]
            }
            return ScriptedServer.response(
                206, "fghij", headers: [("Content-Range", "bytes 5-9/10"), ("Last-Modified", new)])
        }
        let response = await resumed(try await broken(server))
        #expect(response.error?.kind == .network(.malformedResponse))
    }

    @Test func `a resumed download that receives only part of its range can be resumed again`()
        async throws
    {
        let server = try Self.server { request in
            request.header("Range") == "bytes=8-"
                ? Self.range("8-9/10", "89") : Self.range("5-7/10", "567")
        }
        let short = await resumed(try await broken(server))
        #expect(short.error?.kind == .network(.closedEarly))
        let data = try #require(short.resumeData)
        #expect(data.byteCount == 8)
        #expect(data.entityTag == "\"v\"")
        let request = Session.default.download(resumingWith: data)
        #expect(try await request.serializingData().value == Array(Self.whole.utf8))
        if let file = request.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test(arguments: [
        "5-4/1", "5-9/9", "5-9/*", "4-9/10", "6-9/10", "5-9", "5-+9/10", "-9/10", "*/10", "",
        "5-9223372036854775807/9223372036854775808", "5-99999999999999999999/10", "5-9/10, 0-1/10",
    ])
    func `an invalid Content-Range is reported as the server's fault and keeps the partial file`(
        range: String
    )
        async throws
    {
        let server = try Self.server { _ in Self.range(range, "56789") }
        let data = try await broken(server)
        defer { remove(data) }
        let response = await resumed(data)
        #expect(response.error?.kind == .network(.malformedResponse))
        #expect(response.error?.fault == .server)
        #expect(response.resumeData == data)
        #expect(FileManager.default.contents(atPath: data.filePath) == Data("01234".utf8))
    }

    @Test func `more bytes than the Content-Range announces are an error`() async throws {
        let server = try Self.server { _ in Self.range("5-9/10", "56789abc") }
        let response = await resumed(try await broken(server))
        #expect(response.error?.kind == .network(.malformedResponse))
        #expect(response.resumeData == nil)
    }

    @Test(arguments: [503, 416, 404, 500])
    func `an error response to a resumed download keeps the partial file for later resumption`(
        status: Int
    ) async throws {
        let server = try Self.server { request in
            request.number == 2 ? ScriptedServer.response(status, "busy") : Self.rest(request)
        }
        let data = try await broken(server)
        let refused = await resumed(data)
        #expect(
            refused.error?.kind
                == .responseValidationFailed(.unacceptableStatusCode(code: status)))
        #expect(refused.resumeData == data)
        #expect(FileManager.default.contents(atPath: data.filePath) == Data("01234".utf8))
        let request = Session.default.download(resumingWith: data)
        #expect(try await request.serializingData().value == Array(Self.whole.utf8))
        #expect(server.received.last?.header("Range") == "bytes=5-")
        if let file = request.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test
    func `without validation, an error response to a resumed download keeps the partial file`()
        async throws
    {
        let server = try Self.server { _ in ScriptedServer.response(503, "busy") }
        let data = try await broken(server)
        defer { remove(data) }
        let request = Session.default.download(resumingWith: data)
        let response = await request.serializingData().response
        #expect(response.value == Array("busy".utf8))
        #expect(response.resumeData == data)
        #expect(FileManager.default.fileExists(atPath: data.filePath))
        if let file = request.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test func `retries of a download resume from the partial file, even after an error response`()
        async throws
    {
        let server = try Self.server { request in
            request.number == 2 ? ScriptedServer.response(503, "busy") : Self.rest(request)
        }
        let request = Session.default.download(server.url, interceptor: Again()).validate()
        #expect(try await request.serializingData().value == Array(Self.whole.utf8))
        #expect(server.received.map { $0.header("Range") } == [nil, "bytes=5-", "bytes=5-"])
        if let file = request.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test func `a download for which the caller set Range yields no resume data`() async throws {
        let server = try ScriptedServer { _ in
            let head = "HTTP/1.1 206 P\r\nETag: \"v\"\r\nContent-Range: bytes 4-9/10\r\n"
            return [.text(head + "Content-Length: 6\r\n\r\n45"), .close]
        }
        let response = await Session.default.download(server.url, headers: ["Range": "bytes=4-"])
            .serializingData().response
        #expect(response.error?.kind == .network(.closedEarly))
        #expect(response.resumeData == nil)
    }

    @Test
    func `the progress of a resumed download includes the bytes received before it was resumed`()
        async throws
    {
        let server = try Self.server(Self.rest)
        let data = try await broken(server)
        let seen = Collector<TransferProgress>()
        let request = Session.default.download(resumingWith: data)
            .downloadProgress { seen.add($0) }
        _ = try await request.serializingData().value
        let first = try #require(seen.all.first)
        #expect(first.completedByteCount > 5)
        #expect(seen.all.allSatisfy { $0.totalByteCount == 10 })
        #expect(seen.all.last?.completedByteCount == 10)
        #expect(request.downloadProgress?.fractionCompleted == 1)
        if let file = request.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test func `the progress of a download that is resumed by a retry never decreases`()
        async throws
    {
        let server = try Self.server(Self.rest)
        let seen = Collector<TransferProgress>()
        let request = Session.default.download(server.url, interceptor: Again())
            .downloadProgress { seen.add($0) }
        #expect(try await request.serializingData().value == Array(Self.whole.utf8))
        #expect(seen.all.map(\.completedByteCount) == seen.all.map(\.completedByteCount).sorted())
        #expect(seen.all.allSatisfy { $0.totalByteCount == 10 })
        if let file = request.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test
    func `the progress of a resumed download that starts over ends at the size of the whole file`()
        async throws
    {
        let server = try Self.server { _ in ScriptedServer.response(200, Self.whole) }
        let seen = Collector<TransferProgress>()
        let request = Session.default.download(resumingWith: try await broken(server))
            .downloadProgress { seen.add($0) }
        _ = try await request.serializingData().value
        #expect(seen.all.last == TransferProgress(completedByteCount: 10, totalByteCount: 10))
        if let file = request.fileURL { try FileManager.default.removeItem(at: file) }
    }
}

/// Tries again without a delay, three times.
private struct Again: RequestInterceptor {
    func retry(
        _ request: any ClientRequest, for session: Session, dueTo error: ClientError
    ) async -> RetryResult {
        request.retryCount < 3 ? .retry : .doNotRetry
    }
}
