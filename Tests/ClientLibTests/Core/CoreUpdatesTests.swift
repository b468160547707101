import ClientLib
import Foundation
import ProxydClientTestSupport
import Testing

/// Progress and events that are awaited before anyone wants a value.
@Suite(.timeLimit(.minutes(1)))
struct CoreUpdatesTests {
    private static let big = [UInt8](repeating: 7, count: 500_000)

    private static func server() throws -> ScriptedServer {
        try ScriptedServer { ScriptedServer.response(200, "\($0.body.count) bytes") }
    }

    @Test func `awaiting the progress of an upload starts the upload`() async throws {
        let server = try Self.server()
        let request = Session.default.upload(Self.big, to: server.url)
        var last: TransferProgress?
        for await progress in request.uploadProgressUpdates() { last = progress }
        #expect(last?.fractionCompleted == 1)
        #expect(try await request.serializingString().value == "500000 bytes")
        #expect(server.received.count == 1)
    }

    @Test func `awaiting the progress of a download starts the download`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, Self.big) }
        let request = Session.default.download(server.url)
        var last: TransferProgress?
        for await progress in request.downloadProgressUpdates() { last = progress }
        #expect(last?.fractionCompleted == 1)
        let file = try await request.serializingDownloadedFileURL().value
        #expect(file.bytes == Self.big)
        try FileManager.default.removeItem(at: file)
    }

    @Test
    func `awaiting a request's events starts the request, but creating the sequence does not`()
        async throws
    {
        let server = try Self.server()
        let request = Session.default.request(server.url)
        let events = request.events
        #expect(request.isInitialized)
        var names: [String] = []
        for await event in events { names.append(String("\(event)".prefix { $0 != "(" })) }
        #expect(names.first == "didResume")
        #expect(names.last == "didFinish")
        #expect(request.isFinished)
    }

    @Test func `without startRequestsImmediately, awaiting progress does not start the request`()
        async throws
    {
        let server = try Self.server()
        var configuration = SessionConfiguration()
        configuration.startRequestsImmediately = false
        let session = Session(configuration: configuration)
        let request = session.upload(Self.big, to: server.url)
        let watching = Task {
            var last: TransferProgress?
            for await progress in request.uploadProgressUpdates() { last = progress }
            return last
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(request.isInitialized)
        request.resume()
        #expect(await watching.value?.fractionCompleted == 1)
    }

    @Test func `awaiting the progress of a suspended request does not resume it`() async throws {
        let server = try Self.server()
        let request = Session.default.upload(Self.big, to: server.url).suspend()
        let watching = Task {
            for await _ in request.uploadProgressUpdates() {}
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(request.isSuspended)
        #expect(server.connectionCount == 0)
        request.resume()
        await watching.value
        #expect(request.isFinished)
    }

    @Test func `a request continues when its progress is no longer awaited`() async throws {
        let server = try Self.server()
        let request = Session.default.upload(Self.big, to: server.url)
        for await _ in request.uploadProgressUpdates() { break }
        #expect(try await request.serializingString().value == "500000 bytes")
    }

    @Test
    func `a stream request is started by reading its pieces, not by awaiting its events`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(404, "text") }
        let stream = Session.default.streamRequest(server.url)
        let events = stream.events
        let watching = Task {
            var names: [String] = []
            for await event in events { names.append(String("\(event)".prefix { $0 != "(" })) }
            return names
        }
        for _ in 0..<1_000 where stream.isInitialized { await Task.yield() }
        #expect(stream.isInitialized)
        var text = ""
        await #expect(throws: ClientError.self) {
            for try await piece in stream.validate().streamingStrings() { text += piece }
        }
        #expect(text == "text")
        let names = await watching.value
        #expect(names.first == "didResume")
        #expect(names.last == "didFinish")
    }

    @Test func `a stream request that no one reads still reports its events after resume`()
        async throws
    {
        let server = try Self.server()
        let stream = Session.default.streamRequest(server.url)
        let events = stream.events
        stream.resume()
        var count = 0
        for await _ in events { count += 1 }
        #expect(count > 0)
        #expect(stream.isFinished)
    }
}
