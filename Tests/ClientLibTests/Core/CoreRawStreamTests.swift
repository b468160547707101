import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct CoreRawStreamTests {
    @Test func `a raw stream sends and receives bytes without HTTP`() async throws {
        let server = try ScriptedServer { _ in
            [.text("first"), .send([UInt8](repeating: 7, count: 600_000)), .close]
        }
        let stream = Session.default.stream(withHostName: "127.0.0.1", port: server.port)
        #expect(stream.state == .initialized)
        try await stream.write(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(stream.state == .resumed)
        var count = 0
        let first = try #require(try await stream.read(atLeast: 5))
        #expect(first.prefix(5).elementsEqual("first".utf8))
        count = first.count
        while let bytes = try await stream.read() { count += bytes.count }
        #expect(count == 600_005)
        #expect(stream.state == .finished)
    }

    @Test func `a raw stream's refused connection or cancellation is reported as a typed error`()
        async throws
    {
        let silent = try SilentPort()
        let refused = Session.default.stream(withHostName: "127.0.0.1", port: silent.port)
        await #expect {
            try await refused.connect()
        } throws: { ($0 as? ClientError)?.kind == .network(.connectionRefused) }
        let server = try ScriptedServer { _ in [] }
        let stream = Session.default.stream(withHostName: "127.0.0.1", port: server.port)
        try await stream.connect()
        let reading = Task { try await stream.read() }
        stream.cancel()
        await #expect {
            _ = try await reading.value
        } throws: { ($0 as? ClientError)?.kind == .explicitlyCancelled }
        #expect(stream.state == .cancelled)
    }

    @Test func `shutting down a session ends its raw streams and rejects new ones`() async throws {
        let server = try ScriptedServer { _ in [] }
        let session = Session()
        let open = session.stream(withHostName: "127.0.0.1", port: server.port)
        try await open.connect()
        let reading = Task { try await open.read() }
        session.shutdown()
        await #expect {
            _ = try await reading.value
        } throws: { ($0 as? ClientError)?.kind == .sessionInvalidated }
        let late = session.stream(withHostName: "127.0.0.1", port: server.port)
        await #expect {
            try await late.connect()
        } throws: { ($0 as? ClientError)?.kind == .sessionInvalidated }
    }

    @Test(.timeLimit(.minutes(1)))
    func `of two concurrent reads of a raw stream, one fails and the other continues`() async throws
    {
        let server = try ScriptedServer { _ in [] }
        let stream = Session.default.stream(withHostName: "127.0.0.1", port: server.port)
        try await stream.connect()
        let (ends, continuation) = AsyncStream.makeStream(of: ClientError.Kind?.self)
        for _ in 0..<2 {
            Task {
                do throws(ClientError) {
                    _ = try await stream.read()
                    continuation.yield(nil)
                } catch {
                    continuation.yield(error.kind)
                }
            }
        }
        var kinds = ends.makeAsyncIterator()
        #expect(await kinds.next() == .unsupported)
        stream.cancel()
        #expect(await kinds.next() == .explicitlyCancelled)
    }

    @Test(.timeLimit(.minutes(1))) func `concurrent writes to a raw stream are not interleaved`()
        async throws
    {
        let server = try ScriptedServer { _ in [] }
        let stream = Session.default.stream(withHostName: "127.0.0.1", port: server.port)
        try await stream.write(Array("PUT / HTTP/1.1\r\nContent-Length: 8000000\r\n\r\n".utf8))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(0)..<8 {
                group.addTask {
                    try await stream.write([UInt8](repeating: number, count: 1_000_000))
                }
            }
            try await group.waitForAll()
        }
        for await received in server.arriving {
            let firsts = stride(from: 0, to: 8_000_000, by: 1_000_000).map { received.body[$0] }
            #expect(firsts.sorted() == Array(0..<8))
            for (index, first) in firsts.enumerated() {
                let start = index * 1_000_000
                #expect(received.body[start..<(start + 1_000_000)].allSatisfy { $0 == first })
            }
            break
        }
        stream.cancel()
    }
}
