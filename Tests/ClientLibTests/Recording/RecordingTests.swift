import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydContentCoding
import ProxydTestSupport
import Synchronization
import Testing

struct RecordingTests {
    @Test func `a request is recorded with heads, bodies, timeline and connection`() async throws {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(201, "made", headers: [("X-A", "1")])
        }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let response = await session.upload(Array("body".utf8), to: server.url + "/a?b")
            .serializingData().response
        #expect(response.response?.status == 201)
        let recorded = try #require(sink.exchanges.first)
        let update = try #require(recorded.last)
        // Most are one update; a slow one is several.
        #expect(sink.updates.first?.isFirst == true)
        #expect(sink.updates.filter(\.isFirst).count == 1)
        #expect(update.state == .complete)
        #expect(recorded.url?.description == server.url + "/a?b")
        #expect(recorded.head?.bytes == server.received.first?.head.bytes)
        #expect(recorded.requestBody == Array("body".utf8))
        #expect(update.requestBody.isComplete)
        #expect(recorded.responseHead?.fields["X-A"] == "1")
        #expect(recorded.responseBody == Array("made".utf8))
        #expect(update.responseBody.isComplete)
        #expect(update.timeline.connect != nil)
        #expect(update.timeline.wait != nil)
        #expect(update.timeline[.requestLastByte] == update.timeline[.sendEnd])
        #expect(update.timeline[.ended] != nil)
        #expect(update.clientConnection == nil)
        let connection = try #require(sink.connections.first)
        #expect(update.serverConnection == connection.id)
        #expect(connection.peerAddress == "127.0.0.1:\(server.port)")
        #expect(response.exchanges.first?.id == update.id)
    }

    @Test func `a malformed response is recorded with the bytes that the server sent`() async throws
    {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\n"), .close]
        }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        _ = await session.request(server.url).serializingData().response
        let refusal = try #require(sink.exchanges.first?.last?.responseFault?.refusal)
        #expect(refusal.bytes.starts(with: Array("HTTP/1.1 200 OK\r\nX: a\u{0}".utf8)))
    }

    /// Keeps the last call of a transport.
    private final class CallKeeper: ClientTransport {
        private let base: any ClientTransport
        private let kept = Mutex<(any TransportCall)?>(nil)

        init(_ base: any ClientTransport) { self.base = base }

        var call: (any TransportCall)? { kept.withLock { $0 } }

        func start(_ request: TransportRequest) -> any TransportCall {
            let call = base.start(request)
            kept.withLock { $0 = call }
            return call
        }

        func shutdown() { base.shutdown() }
    }

    @Test
    func `a recording sink may cancel a call during an update; the call is recorded as failed`()
        async throws
    {
        let sink = MemoryExchangeSink()
        let answering = AnsweringTransport { _, _ in (200, Array(repeating: 0x78, count: 128 << 10))
        }
        let keeper = CallKeeper(RecordingTransport(answering, sink: sink))
        let session = Session(transport: keeper)
        defer { session.shutdown() }
        sink.watch { if $0.state == .active { keeper.call?.cancel() } }
        _ = await session.request("http://h.test/").serializingData().response
        #expect(sink.exchanges.first?.last?.state == .failed)
    }

    @Test func `exchanges over the same connection share one connection record`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        for _ in 0..<3 { _ = try await session.request(server.url).serializingData().value }
        // A connection that was idle for too long is not used again: it depends on the machine.
        // A call that is slow is also recorded while it is open: the last word on it counts.
        let last = sink.exchanges.compactMap(\.last)
        #expect(last.count == 3)
        #expect(sink.connections.count == last.count { !$0.timeline.connectionReused })
        #expect(sink.connections.count == server.connectionCount)
        #expect(last.first?.timeline.connectionReused == false)
        #expect(Set(last.compactMap(\.serverConnection)) == Set(sink.connections.map(\.id)))
    }

    @Test func `each hop of a redirect is recorded as its own exchange`() async throws {
        let server = try ScriptedServer { request in
            request.head.targetText == "/"
                ? ScriptedServer.response(302, "go", headers: [("Location", "/there")])
                : ScriptedServer.response(200, "here")
        }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        _ = try await session.request(server.url).serializingData().value
        #expect(sink.exchanges.map { $0.responseHead?.status } == [302, 200])
        #expect(sink.exchanges.map { $0.url?.pathText } == ["/", "/there"])
        #expect(sink.exchanges.first?.responseBody == Array("go".utf8))
    }

    @Test func `a compressed response body is recorded in its compressed form`() async throws {
        let text = String(repeating: "again and again ", count: 100)
        let plain = Array(text.utf8)
        let coded = try ContentEncoder.encode(plain.span, as: .gzip)
        let server = try ScriptedServer { _ in
            ScriptedServer.response(200, coded, headers: [("Content-Encoding", "gzip")])
        }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let value = try await session.request(server.url)
            .serializingString().value
        #expect(value == text)
        #expect(sink.exchanges.first?.responseBody == coded)
    }

    @Test func `body bytes beyond the recording limit are counted but not kept`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "0123456789") }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink, keptBodyByteCountMax: 4)
        defer { session.shutdown() }
        _ = try await session.upload(Array("abcdefgh".utf8), to: server.url)
            .serializingData().value
        let recorded = try #require(sink.exchanges.first)
        #expect(recorded.requestBody == Array("abcd".utf8))
        #expect(recorded.last?.requestBody.byteCount == 8)
        #expect(recorded.responseBody == Array("0123".utf8))
        #expect(recorded.last?.responseBody.byteCount == 10)
    }

    @Test
    func `a streamed request body is recorded with exactly the bytes that the server receives`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "") }
        let sink = MemoryExchangeSink()
        let pieces = AsyncStream<[UInt8]> { continuation in
            for number in 0..<100 { continuation.yield(Array("piece \(number);".utf8)) }
            continuation.finish()
        }
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        _ = await session.upload(BodyStream(pieces), to: server.url)
            .serializingData().response
        let recorded = try #require(sink.exchanges.first)
        #expect(recorded.requestBody == server.received.first?.body)
        #expect(recorded.last?.requestBody.isComplete == true)
        #expect(recorded.last?.requestBody.byteCount == Int64(recorded.requestBody.count))
    }

    @Test func `a refused connection is recorded as a failed exchange with its request`()
        async throws
    {
        let silent = try SilentPort()
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        _ = await session.upload([1, 2], to: silent.url)
            .serializingData().response
        let recorded = try #require(sink.exchanges.first)
        #expect(recorded.last?.state == .failed)
        #expect(recorded.last?.failure?.kind == .connectionRefused)
        #expect(recorded.last?.failure?.origin == .upstream)
        #expect(recorded.requestBody == [1, 2])
        #expect(recorded.last?.serverConnection == nil)
    }

    @Test
    func `a response that breaks off is recorded as a failed exchange with the bytes received`()
        async throws
    {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close]
        }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        _ = await session.request(server.url).serializingData().response
        let recorded = try #require(sink.exchanges.first)
        #expect(recorded.last?.state == .failed)
        #expect(recorded.last?.failure?.kind == .closedEarly)
        #expect(recorded.responseBody == Array("half".utf8))
        #expect(recorded.last?.responseBody.isComplete == false)
    }

    @Test func `a cancelled request is recorded as a failure caused by the client`() async throws {
        let server = try ScriptedServer { _ in [] }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let request = session.request(server.url)
        async let response = request.serializingData().response
        for await _ in server.arriving { break }
        request.cancel()
        _ = await response
        let last = try #require(sink.exchanges.first?.last)
        #expect(last.state == .failed)
        #expect(last.failure?.origin == .client)
        #expect(last.failure?.kind == .closedEarly)
    }

    @Test func `a long response is recorded while it is still being received`() async throws {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\n\r\nevent")]
        }
        let sink = MemoryExchangeSink()
        let (seen, continuation) = AsyncStream.makeStream(of: ExchangeUpdate.self)
        sink.watch { continuation.yield($0) }
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let request = session.streamRequest(server.url)
        request.responseStream { _ in }
        for await update in seen where update.responseBody.byteCount == 5 {
            #expect(update.state == .active)
            break
        }
        request.cancel()
        for await update in seen where update.state == .failed { break }
        #expect(sink.exchanges.first?.responseBody == Array("event".utf8))
    }

    @Test func `a full recording sink pauses the response and loses no bytes`() async throws {
        let body = [UInt8](repeating: 7, count: 3 << 20)
        let server = try ScriptedServer { _ in ScriptedServer.response(200, body) }
        let sink = MemoryExchangeSink()
        sink.congest()
        let (done, continuation) = AsyncStream.makeStream(of: Int.self)
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let request = session.request(server.url)
        request.responseData { response in
            continuation.yield(response.data?.count ?? 0)
        }
        while sink.waitingCount == 0 { await Task.yield() }
        #expect(!request.isFinished)
        sink.drain()
        for await count in done {
            #expect(count == body.count)
            break
        }
        let recorded = try #require(sink.exchanges.first)
        #expect(recorded.responseBody == body)
        #expect(recorded.updateCount > 1)
    }

    @Test func `a request that still awaits its response is recorded with its server connection`()
        async throws
    {
        let server = try ScriptedServer { request in
            request.number == 1 ? ScriptedServer.response(200, "x") : []
        }
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        _ = try await session.request(server.url).serializingData().value
        let (seen, continuation) = AsyncStream.makeStream(of: ExchangeUpdate.self)
        sink.watch { continuation.yield($0) }
        let request = session.request(server.url).resume()
        for await update in seen where update.serverConnection != nil {
            #expect(update.state == .active)
            #expect(update.timeline.connectionReused == (server.connectionCount == 1))
            #expect(update.serverConnection == sink.connections.last?.id)
            break
        }
        request.cancel()
    }
}
