import ClientLib
import ProxydEventLoops
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

/// A server that answers `GET /flood` with a body that is made only as fast as it is taken, and
/// everything else with two bytes. It lives until the tests end.
final class FloodServer: Sendable {
    static let floodByteCount = 64 << 20

    let port: UInt16
    /// Bytes of the flood that were handed over so far.
    let handedByteCount = Atomic<Int>(0)
    private static let group = Result { try EventLoopGroup(count: 1) }
    private let listener = Mutex<LoopBound<Listener>?>(nil)

    init() throws {
        let loop = try FloodServer.group.get().loops[0]
        let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
        port = socket.localAddress.port
        loop.execute { [self] in
            let made = Listener(socket: socket, on: loop) { [self] stream in
                stream.delegate = Connection(self)
            }
            made.start()
            listener.withLock { $0 = LoopBound(made, loop: loop) }
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    private final class Connection: DuplexStreamDelegate {
        private static let piece = [UInt8](repeating: 0x66, count: 64 << 10)
        private let server: FloodServer
        private var remaining = 0

        init(_ server: FloodServer) { self.server = server }

        /// A request without a body comes in one piece.
        func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
            let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            let isFlood = text.hasPrefix("GET /flood ")
            let count = isFlood ? FloodServer.floodByteCount : 2
            stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8))
            if isFlood { remaining = count } else { stream.write(Array("ok".utf8)) }
            flood(stream)
        }

        func streamDidDrain(_ stream: any DuplexStream) { flood(stream) }

        private func flood(_ stream: any DuplexStream) {
            while remaining > 0, !stream.isCongested {
                stream.write(Connection.piece)
                remaining -= Connection.piece.count
                server.handedByteCount.add(Connection.piece.count, ordering: .relaxed)
            }
        }

        func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { stream.close() }
        func stream(_ stream: any DuplexStream, didFail error: StreamError) {}
    }
}
