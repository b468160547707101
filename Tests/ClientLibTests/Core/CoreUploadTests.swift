import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct CoreUploadTests {
    private static func echoServer() throws -> ScriptedServer {
        try ScriptedServer {
            ScriptedServer.response(200, $0.body.isEmpty ? Array("-".utf8) : $0.body)
        }
    }

    private static let big = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    @Test func `uploaded bytes are sent with a Content-Length, and with POST by default`()
        async throws
    {
        let server = try Self.echoServer()
        let body = try await Session.default.upload(Self.big, to: server.url)
            .serializingData().value
        #expect(body == Self.big)
        #expect(server.received.first?.head.method == .post)
        #expect(server.received.first?.header("Content-Length") == "\(Self.big.count)")
    }

    @Test func `a file is uploaded with a Content-Length`() async throws {
        let (server, scratch) = (try Self.echoServer(), try ScratchFolder())
        let file = try scratch.file("big", Self.big)
        let body = try await Session.default.upload(file, to: server.url).serializingData().value
        #expect(body == Self.big)
        #expect(server.received.first?.header("Content-Length") == "\(Self.big.count)")
    }

    @Test func `uploading a missing file or a directory is reported as the caller's fault`()
        async throws
    {
        let scratch = try ScratchFolder()
        let session = Session.default
        for url in [scratch.url.appending(path: "none"), scratch.url] {
            let error = await session.upload(url, to: "http://127.0.0.1:1/").serializingData()
                .response.error
            #expect(error?.kind == .bodyUnavailable)
            #expect(error?.fault == .caller)
        }
    }

    @Test func `an upload stream of unknown length is sent chunked, without a Content-Length`()
        async throws
    {
        let server = try Self.echoServer()
        let pieces = AsyncStream<[UInt8]> { continuation in
            for start in stride(from: 0, to: Self.big.count, by: 100_000) {
                continuation.yield(Array(Self.big[start..<min(start + 100_000, Self.big.count)]))
            }
            continuation.finish()
        }
        let body = try await Session.default.upload(BodyStream(pieces), to: server.url)
            .serializingData().value
        #expect(body == Self.big)
        #expect(server.received.first?.header("Transfer-Encoding") == "chunked")
        #expect(server.received.first?.header("Content-Length") == nil)
    }

    @Test(arguments: [2, 7])
    func `an upload stream shorter or longer than declared is reported as the caller's fault`(
        count: Int64
    ) async throws {
        let server = try Self.echoServer()
        let stream = BodyStream(byteCount: 5) { OnePiece([UInt8](repeating: 1, count: Int(count))) }
        let error = await Session.default.upload(stream, to: server.url).serializingData()
            .response.error
        #expect(error?.kind == .bodyLengthMismatch(declared: 5, actual: count))
        #expect(error?.fault == .caller)
    }

    @Test func `an error thrown by an upload stream fails the upload and is kept as the cause`()
        async throws
    {
        struct Broken: Error {}
        let server = try Self.echoServer()
        let stream = BodyStream(byteCount: 5) { throw Broken() }
        let error = await Session.default.upload(stream, to: server.url).serializingData()
            .response.error
        #expect(error?.kind == .bodyUnavailable)
        #expect(error?.underlying is Broken)
    }

    @Test func `a multipart form of fields, files and streams is uploaded with its exact length`()
        async throws
    {
        let (server, scratch) = (try Self.echoServer(), try ScratchFolder())
        let file = try scratch.file("pic.png", Self.big)
        var form = MultipartFormData()
        form.append("Ada", name: "author")
        try form.append(
            fileAt: file.path, name: "picture", fact: .file(byteCount: Int64(Self.big.count)))
        form.append(streamID: 1, byteCount: 3, name: "s", filename: "s.bin")
        let body = HTTPBody.multipart(
            form, streams: [1: BodyStream(byteCount: 3) { OnePiece([7, 8, 9]) }])
        _ = try await Session.default.upload(body, to: server.url).serializingData().value
        let received = try #require(server.received.first)
        #expect(received.header("Content-Length") == form.byteCount.map(String.init))
        #expect(received.header("Content-Type") == form.contentType)
        let beginning = String(decoding: received.body.prefix(500), as: UTF8.self)
        #expect(beginning.contains("name=\"author\"\r\n\r\nAda\r\n"))
        #expect(received.body.count == Int(form.byteCount ?? 0))
    }

    @Test func `a multipart form that is filled by a closure is uploaded`() async throws {
        let server = try Self.echoServer()
        let text = try await Session.default.upload(
            multipartFormData: { $0.append("1", name: "a") }, to: server.url
        ).serializingString().value
        #expect(text.contains("name=\"a\"\r\n\r\n1\r\n--"))
    }

    @Test func `adapters see the Content-Type with which a multipart form is sent`() async throws {
        let server = try Self.echoServer()
        let seen = Collector<String?>()
        let response = await Session.default.upload(
            multipartFormData: { $0.append("1", name: "a") }, to: server.url
        ).adapt { request, _ in
            seen.add(request.headers["Content-Type"])
            return request
        }.serializingData().response
        let sent = try #require(server.received.first?.head.fields.values(named: "Content-Type"))
        #expect(sent.count == 1 && sent[0].hasPrefix("multipart/form-data; boundary="))
        #expect(response.request?.headers["Content-Type"] == sent[0])
        #expect(seen.all == sent)
    }

    @Test func `a form upload that is redirected to a GET loses its Content-Type`() async throws {
        let server = try ScriptedServer { request in
            request.number == 1
                ? ScriptedServer.response(303, "", headers: [("Location", "/b")])
                : ScriptedServer.response(200, "x")
        }
        let response = await Session.default.upload(
            multipartFormData: { $0.append("1", name: "a") }, to: server.url
        ).serializingData().response
        #expect(server.received.last?.head.method == .get)
        #expect(server.received.last?.header("Content-Type") == nil)
        #expect(response.request?.headers["Content-Type"] == nil)
    }

    @Test func `a multipart part made from a file gets the file's size, name and content type`()
        async throws
    {
        let (server, scratch) = (try Self.echoServer(), try ScratchFolder())
        let file = try scratch.file("a b.png", Self.big)
        let body = try await Session.default.upload(
            multipartFormData: { try $0.append(fileAt: file.path, name: "f") }, to: server.url
        ).serializingData().value
        #expect(body.count > Self.big.count)
        let beginning = String(decoding: body.prefix(200), as: UTF8.self)
        #expect(beginning.contains("filename=\"a b.png\"\r\nContent-Type: image/png"))
        var form = MultipartFormData()
        let path = scratch.url.path
        #expect(throws: MultipartEncodingError.notAFile(path: path)) {
            try form.append(fileAt: path, name: "f")
        }
        #expect(throws: MultipartEncodingError.unreadable(path: path + "/no")) {
            try form.append(fileAt: path + "/no", name: "f")
        }
        #expect(FileFact(ofFileAt: "/dev/null") == .notAFile)
    }

    @Test func `upload progress never decreases and ends at the full size`() async throws {
        let server = try Self.echoServer()
        let seen = Collector<TransferProgress>()
        _ = try await Session.default.upload(Self.big, to: server.url)
            .uploadProgress { seen.add($0) }.serializingData().value
        #expect(seen.all.last?.fractionCompleted == 1)
        #expect(seen.all.last?.totalByteCount == Int64(Self.big.count))
        #expect(seen.all.map(\.completedByteCount) == seen.all.map(\.completedByteCount).sorted())
    }

    @Test func `a response that arrives before the request body was sent completely is returned`()
        async throws
    {
        let server = try ScriptedServer(answersAtHead: true) { _ in
            ScriptedServer.response(413, "too large") + [.close]
        }
        let response = await Session.default.upload(Self.big, to: server.url)
            .serializingString().response
        #expect(response.response?.status == 413)
        #expect(response.value == "too large")
    }

    @Test func `after a 307 redirect, a body that can be read only once is not sent again`()
        async throws
    {
        let server = try ScriptedServer { request in
            request.number == 1
                ? ScriptedServer.response(307, "", headers: [("Location", "/again")])
                : ScriptedServer.response(200, "x")
        }
        let once = BodyStream(byteCount: 1, isReplayable: false) { OnePiece([1]) }
        let error = await Session.default.upload(once, to: server.url).serializingData()
            .response.error
        #expect(error?.kind == .bodyNotReplayable)
        let again = BodyStream(byteCount: 1) { OnePiece([1]) }
        let server2 = try ScriptedServer { request in
            request.number == 1
                ? ScriptedServer.response(307, "", headers: [("Location", "/again")])
                : ScriptedServer.response(200, request.body)
        }
        #expect(
            try await Session.default.upload(again, to: server2.url).serializingData().value == [1])
    }
}
