import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct CoreDownloadTests {
    @Test
    func `a download replaces files and creates directories at its destination only if asked to`()
        async throws
    {
        let (server, scratch) = (
            try ScriptedServer { _ in ScriptedServer.response(200, "new") }, try ScratchFolder()
        )
        let old = try scratch.file("old", Array("old".utf8))
        func download(to url: URL, _ options: DownloadRequest.Options) async
            -> DownloadResponse<URL>
        {
            await Session.default.download(server.url, to: { _, _ in (url, options) })
                .serializingDownloadedFileURL().response
        }
        #expect(await download(to: old, []).error?.kind == .fileSystem(.moving))
        #expect(old.bytes == Array("old".utf8))
        let replaced = await download(to: old, .removePreviousFile)
        #expect(replaced.value?.path == old.path)
        #expect(replaced.map(\.lastPathComponent).value == "old")
        #expect(old.bytes == Array("new".utf8))
        let deep = scratch.url.appending(path: "a/b/c")
        #expect(await download(to: deep, []).error?.kind == .fileSystem(.moving))
        let made = await download(to: deep, .createIntermediateDirectories)
        #expect(made.fileURL?.bytes == Array("new".utf8))
        #expect(server.received.first?.header("Accept-Encoding") == "identity")
    }

    @Test func `a download that fails validation does not replace an existing file`() async throws {
        let (server, scratch) = (
            try ScriptedServer { _ in ScriptedServer.response(404, "no") }, try ScratchFolder()
        )
        let file = try scratch.file("good", Array("good".utf8))
        let response = await Session.default.download(
            server.url, to: { _, _ in (file, .removePreviousFile) }
        ).validate().serializingDownloadedFileURL().response
        #expect(
            response.error?.kind
                == .responseValidationFailed(.unacceptableStatusCode(code: 404)))
        #expect(file.bytes == Array("good".utf8))
    }

    @Test func `a download that broke off is resumed where it stopped`() async throws {
        let server = try ScriptedServer { request in
            let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 10\r\n\r\n01234"
            guard request.header("Range") != nil else { return [.text(head), .close] }
            return ScriptedServer.response(
                206, "56789", headers: [("Content-Range", "bytes 5-9/10"), ("ETag", "\"v1\"")])
        }
        let first = await Session.default.download(server.url + "/f")
            .serializingDownloadedFileURL().response
        #expect(first.error?.kind == .network(.closedEarly))
        let data = try #require(first.resumeData)
        #expect(data.byteCount == 5)
        let stored = try JSONDecoder().decode(
            DownloadResumeData.self, from: try JSONEncoder().encode(data))
        let second = Session.default.download(resumingWith: stored)
        #expect(try await second.serializingData().value == Array("0123456789".utf8))
        let received = try #require(server.received.last)
        #expect(received.header("Range") == "bytes=5-")
        #expect(received.header("If-Range") == "\"v1\"")
        #expect(received.head.targetText == "/f")
        if let file = second.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test func `a resumed download of a changed file starts over and deletes the partial file`()
        async throws
    {
        let server = try ScriptedServer { request in
            guard request.header("Range") != nil else {
                return [
                    .text("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 4\r\n\r\nol"), .close,
                ]
            }
            return ScriptedServer.response(200, "new file")
        }
        let first = await Session.default.download(server.url).serializingDownloadedFileURL()
            .response
        let data = try #require(first.resumeData)
        let second = Session.default.download(resumingWith: data)
        #expect(try await second.serializingData().value == Array("new file".utf8))
        #expect(!FileManager.default.fileExists(atPath: data.filePath))
        if let file = second.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test func `cancelling a download keeps resume data only if asked to`() async throws {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\n012")]
        }
        func started() async -> (DownloadRequest, DownloadTask<URL>) {
            let request = Session.default.download(server.url)
            let updates = request.downloadProgressUpdates()
            let task = request.serializingDownloadedFileURL()
            for await _ in updates { break }
            return (request, task)
        }
        let (plain, plainTask) = await started()
        plain.cancel()
        #expect(await plainTask.response.resumeData == nil)
        let (kept, keptTask) = await started()
        kept.cancel(producingResumeData: true)
        let response = await keptTask.response
        #expect(response.error?.kind == .explicitlyCancelled)
        let data = try #require(response.resumeData)
        try FileManager.default.removeItem(atPath: data.filePath)
    }

    @Test(arguments: [
        (#"attachment; filename="a.txt""#, "a.txt"), ("attachment; filename=b.txt", "b.txt"),
        (#"attachment; filename="../../etc/passwd""#, "passwd"),
        (#"attachment; filename=".bashrc""#, "bashrc"),
        (#"attachment; filename="x\\y\"z""#, #"y"z"#),
        ("attachment; filename=a; filename*=UTF-8''%E4%B8%80%2F..%2Fb", "b"),
        ("attachment; filename*=UTF-8''a%2F%CC%81b", "\u{301}b"),
        ("attachment; filename*=UTF-8''a%5C%CC%81b", "\u{301}b"),
    ])
    func `a download's file name from Content-Disposition is sanitized`(
        _ value: String, name: String
    )
        async throws
    {
        let (server, scratch) = (
            try ScriptedServer { _ in
                ScriptedServer.response(200, "x", headers: [("Content-Disposition", value)])
            }, try ScratchFolder()
        )
        let response = await Session.default.download(
            server.url, to: DownloadRequest.suggestedDownloadDestination(in: scratch.url)
        ).serializingDownloadedFileURL().response
        #expect(response.error == nil)
        #expect(scratch.names == [name])
    }

    @Test(arguments: [
        ("/files/report.pdf?version=2", "", "report.pdf"), ("/a%20b%2F..%2Fc.txt", "", "c.txt"),
        ("/.bashrc", "", "bashrc"), ("/folder/", "", "folder"), ("/%FF", "", "%FF"),
        ("/report", "application/json; charset=utf-8", "report.json"),
        ("/report", "application/x-unheard-of", "report"), ("/data.bin", "text/plain", "data.bin"),
        ("/", "text/html", "127.0.0.1.html"), ("/%2E%2e", "", "127.0.0.1"),
        ("/moved", "", "target.txt"),
    ])
    func `without Content-Disposition, a download is named after its URL and content type`(
        path: String, type: String, name: String
    ) async throws {
        let server = try ScriptedServer { request in
            request.head.targetText == "/moved"
                ? ScriptedServer.response(302, "", headers: [("Location", "/target.txt")])
                : ScriptedServer.response(200, "x", headers: [("Content-Type", type)])
        }
        let scratch = try ScratchFolder()
        let response = await Session.default.download(
            server.url + path, to: DownloadRequest.suggestedDownloadDestination(in: scratch.url)
        ).serializingDownloadedFileURL().response
        #expect(response.error == nil)
        #expect(scratch.names == [name])
    }

    @Test func `a downloaded file is decoded with the given serializer`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, #"{"a":1}"#) }
        let request = Session.default.download(server.url)
        let response = await request.serializingResponse(using: .json).response
        #expect(response.value == .object([.init(name: "a", value: .number("1"))]))
        let file = try #require(response.fileURL)
        try FileManager.default.removeItem(at: file)
        let bad = await Session.default.download(server.url)
            .serializingResponse(using: DecodableResponseSerializer<[Int]>()).response
        #expect(bad.error?.kind == .responseSerializationFailed(.decodingFailed))
        if let file = bad.fileURL { try FileManager.default.removeItem(at: file) }
    }

    @Test func `a download's validator gets the temporary file, and a rejected file is not moved`()
        async throws
    {
        struct Refused: Error {}
        let (server, scratch) = (
            try ScriptedServer { ScriptedServer.response(200, $0.head.targetText) },
            try ScratchFolder()
        )
        let seen = Collector<URL>()
        func download(_ path: String) async -> DownloadResponse<URL> {
            let download = Session.default.download(
                server.url + path,
                to: { _, _ in
                    (scratch.url.appending(path: "kept"), [])
                }
            ).validate { request, head, file in
                guard let file else { return }
                seen.add(file)
                if head.status == 200, file.bytes == Array("/bad".utf8) { throw Refused() }
            }
            return await download.serializingDownloadedFileURL().response
        }
        let bad = await download("/bad")
        #expect(bad.error?.kind == .responseValidationFailed(.custom))
        #expect(bad.error?.underlying is Refused)
        #expect(bad.tryMapError { _ in scratch.url }.value == scratch.url)
        let unmapped = bad.mapError { _ in ClientError(.explicitlyCancelled) }
        #expect(unmapped.error?.kind == .explicitlyCancelled)
        #expect(scratch.names == [])
        let good = await download("/good")
        #expect(good.value?.bytes == Array("/good".utf8))
        #expect(good.tryMap { _ -> Int in throw Refused() }.error?.underlying is Refused)
        #expect(scratch.names == ["kept"])
        #expect(seen.count == 2)
        for file in seen.all { #expect(!FileManager.default.fileExists(atPath: file.path)) }
    }
}

extension URL {
    var bytes: [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
}
