import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

/// Bodies that are slowed down, or written to files first.
struct BodyWritingTests {
    private let log = Collector<Duration>()

    private func form() throws -> MultipartFormData {
        var form = MultipartFormData(boundary: try MultipartBoundary("b0undary"))
        form.append("value", name: "field")
        form.append([0, 255], name: "octets", filename: "a.bin")
        return form
    }

    @Test func `throttling a multipart form delays its packets but does not change its bytes`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let (form, log) = (try form(), log)
        let whole = try form.encoded()
        let request = Session.default.upload(
            .multipart(form), to: server.url,
            requestModifier: {
                $0.throttleBody(
                    packetByteCount: 50, delay: .seconds(7), clock: NotedClock(log: log))
            })
        _ = try await request.serializingData().value
        let received = try #require(server.received.first)
        #expect(received.body == whole)
        #expect(received.header("Content-Length") == "\(whole.count)")
        #expect(received.header("Content-Type") == form.contentType)
        #expect(log.count >= whole.count / 50)
        #expect(log.all.allSatisfy { $0 == .seconds(7) })
    }

    @Test func `a throttled body from memory or from a file can be sent again`() async throws {
        let scratch = try ScratchFolder()
        let path = try scratch.file("body.txt", Array("abcdef".utf8)).path
        let url = RawURL("http://a.test/")
        for body in [HTTPBody.text("abcdef"), .file(path: path)] {
            var request = HTTPRequest(method: .post, url: url, body: body)
            request.throttleBody(packetByteCount: 4, delay: .zero, clock: NotedClock(log: log))
            guard case .stream(let stream) = request.body else {
                Issue.record("the body is no stream")
                continue
            }
            #expect(stream.isReplayable && stream.byteCount == 6)
        }
        var missing = HTTPRequest(method: .post, url: url, body: .file(path: path + "x"))
        missing.throttleBody()
        guard case .file = missing.body else {
            Issue.record("a file that is not there must fail when it is sent")
            return
        }
    }

    @Test
    func `writing a multipart form never overwrites a file, and a failed write leaves no file`()
        async throws
    {
        let scratch = try ScratchFolder()
        let file = scratch.url.appending(path: "form")
        let form = try form()
        try await form.writeEncodedData(to: file)
        #expect(try file.bytes == form.encoded())
        let error = await #expect(throws: ClientError.self) {
            try await form.writeEncodedData(to: file)
        }
        #expect(error?.kind == .fileSystem(.writingTemporaryFile))

        var streamed = form
        streamed.append(streamID: 1, byteCount: 3, name: "stream")
        let other = scratch.url.appending(path: "other")
        await #expect(throws: ClientError.self) {
            try await streamed.writeEncodedData(to: other)
        }
        #expect(scratch.names == ["form"])
    }
}

/// A clock on which no time passes: it notes how long someone would have slept.
private struct NotedClock: Clock {
    let log: Collector<Duration>
    var now: ManualClock.Instant { ManualClock.Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        log.add(deadline.offset)
    }
}
