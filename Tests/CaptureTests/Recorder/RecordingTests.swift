import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydStoreTestSupport
import Testing

@Suite struct `Recording exchanges` {
    let store = TemporaryStore()

    @Test func `a complete exchange is read back from the store as it was recorded`() throws {
        let recorder = try store.recorder()
        var update = Samples.complete(
            recorder.nextExchangeID(), "/a/b?q=caf%C3%A9", method: "POST",
            fields: [("X-Odd", "  spaced "), ("x-odd", "again")],
            requestBody: Array("request".utf8), responseBody: Array("response".utf8))
        update.informational = [
            Samples.responseHead(103, "Early Hints", fields: [("Link", "</x>")]),
            Samples.responseHead(100, "Continue", fields: []),
        ]
        update.requestTrailers = HeaderFields([(name: "Req-Sum", value: "1")])
        update.responseTrailers = HeaderFields([(name: "Res-Sum", value: "2")])
        recorder.record(update)
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.state == .complete)
        #expect(exchange.request.url == update.url)
        #expect(exchange.request.head == update.requestHead)
        #expect(exchange.request.body == Body(Array("request".utf8)))
        #expect(exchange.request.trailers == update.requestTrailers)
        #expect(exchange.response?.head == update.responseHead)
        #expect(exchange.response?.body == Body(Array("response".utf8)))
        #expect(exchange.response?.trailers == update.responseTrailers)
        #expect(exchange.informational == update.informational)
        #expect(exchange.timeline == update.timeline)
        #expect(exchange.failure == nil)
        recorder.stop()
    }

    @Test func `the recorder reports that it is indexing until the index files have caught up`()
        throws
    {
        let recorder = try store.recorder()
        // The search files leave the newest exchanges out.
        for number in 0..<2_500 { recorder.recordSample("/\(number)") }
        try recorder.flush()
        while recorder.status.isIndexing { try recorder.flush() }
        let number = try #require(
            try store.reader().rows(matching: Filter.parse("url:/499"), .newest, limit: 1).first)
        #expect(number.path == "/499")
        #expect(store.mode("captures-search-1.sqlite") == 0o600)
        recorder.stop()
    }

    @Test func `a listed exchange has every recorded property`() throws {
        let recorder = try store.recorder()
        let client = ConnectionRecord(
            id: recorder.nextConnectionID(), side: .client, openedAt: 1,
            peerAddress: "127.0.0.1:50000", localAddress: "127.0.0.1:8080",
            process: .init(pid: 42, name: "curl"))
        let server = ConnectionRecord(
            id: recorder.nextConnectionID(), side: .server, openedAt: 2,
            peerAddress: "192.0.2.1:443", localAddress: "192.0.2.9:1000",
            security: .init(
                version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", alpn: "http/1.1",
                serverName: "example.test", peerCertificates: [[1, 2, 3], [4]]))
        recorder.record(client)
        recorder.record(server)
        var update = Samples.complete(
            recorder.nextExchangeID(), "/p?x=1", fields: [("Content-Type", "text/x")])
        update.clientConnection = client.id
        update.serverConnection = server.id
        update.replayOf = ExchangeID(rawValue: 7)
        recorder.record(update)
        try recorder.flush()
        let row = try #require(try store.reader().row(update.id))
        #expect(row.method == "GET")
        #expect(row.url == "http://example.test/p?x=1")
        #expect(row.scheme == "http")
        #expect(row.host == "example.test")
        #expect(row.port == 80)
        #expect(row.path == "/p")
        #expect(row.query == "x=1")
        #expect(row.httpVersion == "HTTP/1.1")
        #expect(row.status == 200)
        #expect(row.reason == "OK")
        #expect(row.startedAt == "2025-11-21T08:00:00.123Z")
        #expect(row.durationMilliseconds == 2.5)
        #expect(row.requestBodyByteCount == 0)
        #expect(row.responseBodyByteCount == 5)
        #expect(row.requestContentType == "text/x")
        #expect(row.responseContentType == "text/plain; charset=utf-8")
        #expect(row.clientAddress == "127.0.0.1:50000")
        #expect(row.process == "curl")
        #expect(row.pid == 42)
        #expect(row.serverAddress == "192.0.2.1:443")
        #expect(row.tlsVersion == "TLSv1.3")
        #expect(row.error == nil)
        #expect(row.state == .complete)
        #expect(row.replayOf == ExchangeID(rawValue: 7))
        #expect(row.tags.isEmpty)
        #expect(row.note == nil)
        #expect(!row.isPinned)
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.client == client)
        #expect(exchange.server == server)
        recorder.stop()
    }

    @Test func `a long exchange can be read while it is active and is completed by later updates`()
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        recorder.record(Samples.begun(id, method: "POST"))
        try recorder.flush()
        var row = try #require(try store.reader().row(id))
        #expect(row.state == .active)
        #expect(row.status == nil)
        #expect(row.durationNs == nil)
        var update = Samples.later(id)
        update.requestBody.append([1, 2, 3], total: 3)
        recorder.record(update)
        update = Samples.later(id)
        update.requestBody.append([4, 5], total: 5, isComplete: true)
        update.responseHead = Samples.responseHead(201, "Created")
        update.responseBody.append([6], total: 1)
        recorder.record(update)
        try recorder.flush()
        row = try #require(try store.reader().row(id))
        #expect(row.state == .active)
        #expect(row.status == 201)
        #expect(row.responseBodyByteCount == 1)
        update = Samples.later(id, .complete)
        update.requestBody.append([], total: 5, isComplete: true)
        update.responseBody.append([7, 8], total: 3, isComplete: true)
        recorder.record(update)
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(id))
        #expect(exchange.state == .complete)
        #expect(exchange.request.body == Body([1, 2, 3, 4, 5]))
        #expect(exchange.response?.body == Body([6, 7, 8]))
        #expect(exchange.timeline == update.timeline)
        #expect(recorder.status.activeCount == 0)
        recorder.stop()
    }

    @Test func `bodies of sizes around the database page size are read as recorded`() throws {
        let recorder = try store.recorder()
        let sizes = [0, 1, 3_000, 3_999, 4_063, 4_064, 4_065, 8_127, 8_128, 70_000, 1_200_000]
        let bodies = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) } }
        let ids = bodies.map {
            recorder.recordSample(method: "PUT", requestBody: $0, responseBody: $0.reversed())
        }
        try recorder.flush()
        let reader = try store.reader()
        for (id, body) in zip(ids, bodies) {
            let exchange = try #require(try reader.exchange(id))
            #expect(exchange.request.body == Body(body))
            #expect(exchange.response?.body == Body(body.reversed()))
            var streamed: [UInt8] = []
            try reader.forEachBodyChunk(of: id, .response) { chunk in
                #expect(chunk.count <= 256 << 10)
                streamed += chunk
                return true
            }
            #expect(streamed == body.reversed())
        }
        recorder.stop()
    }

    @Test func `a body that was only partly kept is read back as truncated`() throws {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID())
        update.responseBody.append([1, 2], total: 1_000, isComplete: true)
        recorder.record(update)
        try recorder.flush()
        let row = try #require(try store.reader().row(update.id))
        #expect(row.responseBodyByteCount == 1_000)
        #expect(row.responseKeptByteCount == 2)
        #expect(try store.reader().exchange(update.id)?.response?.body.isTruncated == true)
        recorder.stop()
    }

    @Test func `a malformed request is stored with its bytes and its error`() throws {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        var update = ExchangeUpdate(
            id: id, state: .failed, timeline: Samples.timeline(), isFirst: true)
        update.malformedHead = Array("GET / HTTP/1.1\u{0}\r\n".utf8)
        update.failure = ExchangeFailure(
            origin: .client, kind: .malformedRequest, message: "bad request line")
        recorder.record(update)
        try recorder.flush()
        let reader = try store.reader()
        let row = try #require(try reader.row(id))
        #expect(row.state == .failed)
        #expect(row.error == "client malformedRequest: bad request line")
        #expect(row.url == nil)
        #expect(row.method == nil)
        let exchange = try #require(try reader.exchange(id))
        #expect(exchange.request.head == nil)
        #expect(exchange.failure == update.failure)
        #expect(try reader.headBytes(of: id, .request) == update.malformedHead)
        recorder.stop()
    }

    @Test func `bytes that are not UTF-8 are stored unchanged in heads and bodies`() throws {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), responseBody: [0, 0xFF, 0xC3])
        var fields = HeaderFields()
        fields.append(name: Array("X-Latin".utf8), value: [0xE9, 0xFF, 0x80])
        fields.append(name: Array("Content-Type".utf8), value: Array("text/pl".utf8) + [0xE4])
        update.responseHead = ResponseHead(status: 200, reason: "Schön", fields: fields)
        recorder.record(update)
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.response?.head == update.responseHead)
        #expect(exchange.response?.body == Body([0, 0xFF, 0xC3]))
        let row = try #require(try store.reader().row(update.id))
        #expect(row.reason == "Schön")
        #expect(row.responseContentType == "text/plä")
        recorder.stop()
    }

    @Test func `subscribers are notified of inserted, updated and removed exchanges`() async throws
    {
        let recorder = try store.recorder()
        let (changes, continuation) = AsyncStream.makeStream(of: StoreChange.self)
        let subscription = recorder.subscribe { continuation.yield($0) }
        var iterator = changes.makeAsyncIterator()
        let id = recorder.nextExchangeID()
        recorder.record(Samples.begun(id))
        #expect(await iterator.next()?.inserted == [id])
        recorder.record(Samples.later(id, .complete))
        #expect(await iterator.next()?.updated == [id])
        #expect(try recorder.clear(.all) == 1)
        #expect(await iterator.next()?.removed == [id])
        subscription.cancel()
        recorder.recordSample()
        try recorder.flush()
        continuation.finish()
        #expect(await iterator.next() == nil)
        recorder.stop()
    }
}
