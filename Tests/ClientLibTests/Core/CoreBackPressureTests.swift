import ClientLib
import Synchronization
import Testing

struct CoreBackPressureTests {
    @Test
    func `a request that is suspended mid-body reads nothing from the server until it is resumed`()
        async throws
    {
        let server = try FloodServer()
        let session = Session()
        let request = session.streamRequest(server.url + "/flood")
        let count = Atomic<Int>(0)
        let pieces = Atomic<Int>(0)
        let (suspended, suspend) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: ClientError?.self)
        request.responseStream { [unowned request] stream in
            if let piece = stream.value {
                count.add(piece.count, ordering: .relaxed)
                if pieces.add(1, ordering: .relaxed).newValue == 1 {
                    request.suspend()
                    suspend.finish()
                }
            }
            if let completion = stream.completion { end.yield(completion.error) }
        }
        for await _ in suspended {}
        #expect(request.isSuspended)
        let received = count.load(ordering: .relaxed)
        // The threads of both sides turn often enough to bring all of it, were it asked for.
        for _ in 0..<300 {
            _ = try await session.request(server.url + "/other").serializingData().value
        }
        #expect(count.load(ordering: .relaxed) == received)
        #expect(server.handedByteCount.load(ordering: .relaxed) < FloodServer.floodByteCount)
        request.resume()
        for await error in ended {
            #expect(error == nil)
            break
        }
        #expect(count.load(ordering: .relaxed) == FloodServer.floodByteCount)
    }

    @Test func `a slow reader of a streamed response makes the server pause`() async throws {
        let server = try FloodServer()
        let session = Session()
        let pieces = session.streamRequest(server.url + "/flood").streamingData()
            .makeAsyncIterator()
        var count = try #require(try await pieces.next()).count
        for _ in 0..<300 {
            _ = try await session.request(server.url + "/other").serializingData().value
        }
        #expect(server.handedByteCount.load(ordering: .relaxed) < FloodServer.floodByteCount)
        while let piece = try await pieces.next() { count += piece.count }
        #expect(count == FloodServer.floodByteCount)
    }
}
