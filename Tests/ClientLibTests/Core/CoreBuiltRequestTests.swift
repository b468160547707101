import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

/// Requests that a closure makes, and requests with a transport of their own.
struct CoreBuiltRequestTests {
    @Test func `a closure that builds a request runs again for each retry`() async throws {
        let built = Collector<Int>()
        let transport = AnsweringTransport { _, number in (number < 3 ? 503 : 200, [0x61]) }
        let session = Session(transport: transport)
        let retrier = Retrier { request, _, _ in request.retryCount < 2 ? .retry : .doNotRetry }
        let request = session.request(interceptor: retrier) {
            built.add(built.count + 1)
            return HTTPRequest(url: "http://a.test/\(built.count)")
        }
        let value = try await request.validate().serializingString().value
        #expect(value == "a")
        #expect(transport.sent.map(\.head.targetText) == ["/1", "/2", "/3"])
    }

    @Test
    func `a CancellationError thrown while building a request is reported as a cancelled request`()
        async
    {
        let session = Session(transport: AnsweringTransport())
        let response = await session.request { throw CancellationError() }.serializingData()
            .response
        #expect(response.error?.kind == .explicitlyCancelled)
    }

    @Test func `an upload or a download can also be created by a closure that builds its request`()
        async throws
    {
        let transport = AnsweringTransport()
        let session = Session(transport: transport)
        let request = HTTPRequest(method: .post, url: "http://a.test/", body: .text("sent"))
        let upload = session.upload { request }
        #expect(try await upload.serializingString().value == "ok")
        guard case .bytes(let sent) = transport.sent.first?.payload else {
            Issue.record("no body was sent")
            return
        }
        #expect(sent == Array("sent".utf8))
        let scratch = try ScratchFolder()
        let file = scratch.url.appending(path: "a/b")
        let download = session.download(
            to: { _, _ in (file, .createIntermediateDirectories) }, building: { request })
        #expect(try await download.serializingDownloadedFileURL().value == file)
        #expect(FileManager.default.contents(atPath: file.path) == Data("ok".utf8))
    }

    @Test
    func `a request with its own transport ignores the session's transport and all redirects`()
        async throws
    {
        let (ofSession, own) = (AnsweringTransport(), AnsweringTransport { _, _ in (302, []) })
        let session = Session(transport: ofSession)
        let response = await session.request("http://a.test/").transport(own).serializingData()
            .response
        #expect(response.response?.status == 302)
        #expect(own.sent.count == 1)
        #expect(ofSession.sent.isEmpty)
        _ = await session.request("http://a.test/").serializingData().response
        #expect(ofSession.sent.count == 1)
    }
}
