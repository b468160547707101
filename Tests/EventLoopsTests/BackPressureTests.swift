import ProxydEventLoops
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BackPressureTests {
    /// Writes a long pattern, stopping whenever it is asked to.
    private final class Source: DuplexStreamDelegate {
        var remaining: Int
        var queuedMax = 0
        var stopCount = 0
        private let pieceByteCount: Int
        private var piece: [UInt8]

        init(byteCount: Int, pieceByteCount: Int) {
            remaining = byteCount
            self.pieceByteCount = pieceByteCount
            piece = (0..<pieceByteCount).map { UInt8(truncatingIfNeeded: $0 % 251) }
        }

        func pump(_ stream: any DuplexStream) {
            while remaining > 0, !stream.isCongested {
                stream.write(piece)
                remaining -= pieceByteCount
                queuedMax = max(queuedMax, stream.queuedByteCount)
            }
            if remaining > 0 { stopCount += 1 } else { stream.close() }
        }

        func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {}
        func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {}
        func streamDidDrain(_ stream: any DuplexStream) { pump(stream) }
        func stream(_ stream: any DuplexStream, didFail error: StreamError) {
            Issue.record("failed: \(error)")
        }
    }

    private struct Report: Sendable {
        var byteCount = 0
        var isIntact = true
        var queuedMax = 0
        var stopCount = 0
    }

    private func transfer(byteCount: Int, pieceByteCount: Int) async throws -> Report {
        try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                var report = Report()
                let source = Source(byteCount: byteCount, pieceByteCount: pieceByteCount)
                let reader = Probe()
                reader.keepsBytes = false
                reader.onReceive = { stream, bytes in
                    for index in stride(from: 0, to: bytes.count, by: 97) {
                        let place = (report.byteCount + index) % pieceByteCount
                        report.isIntact =
                            report.isIntact
                            && bytes[index] == UInt8(truncatingIfNeeded: place % 251)
                    }
                    report.byteCount += bytes.count
                    // A slow reader: it takes a rest after every piece.
                    stream.pauseReading()
                    loop.schedule(afterNs: 100_000) { stream.resumeReading() }
                }
                reader.onEnd = { stream in
                    stream.close()
                    report.queuedMax = source.queuedMax
                    report.stopCount = source.stopCount
                    finish(report)
                }
                (client.delegate, server.delegate) = (source, reader)
                source.pump(client)
            }
        }
    }

    @Test func `the output queue stays bounded while 64 MiB are sent to a slow reader`()
        async throws
    {
        let byteCount = 64 << 20
        let report = try await transfer(byteCount: byteCount, pieceByteCount: 32 * 1_024)
        #expect(report.byteCount == byteCount)
        #expect(report.isIntact)
        #expect(report.queuedMax <= StreamWatermarks.highByteCount + 32 * 1_024)
        #expect(report.stopCount > 0)
    }

    @Test func `the output queue stays bounded while 16 MiB are sent in small writes`()
        async throws
    {
        let byteCount = 16 << 20
        let report = try await transfer(byteCount: byteCount, pieceByteCount: 4 * 1_024)
        #expect(report.byteCount == byteCount)
        #expect(report.isIntact)
        #expect(report.queuedMax <= StreamWatermarks.highByteCount + 4 * 1_024)
    }

    @Test func `a paused stream delivers nothing until it is resumed`() async throws {
        let order: [String] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                var order: [String] = []
                let reader = Probe()
                reader.onReceive = { _, _ in finish(order + ["received"]) }
                server.delegate = reader
                server.pauseReading()
                client.write([1])
                loop.schedule(afterNs: 20_000_000) {
                    order.append("resumed")
                    server.resumeReading()
                }
            }
        }
        #expect(order == ["resumed", "received"])
    }

    @Test func `a reader that pauses after each delivery still gets every byte`() async throws {
        let counts: [Int] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let reader = Probe()
                reader.onReceive = { stream, _ in
                    stream.pauseReading()
                    loop.afterDispatch { stream.resumeReading() }
                    if reader.received.count == 1_000_000 { finish([reader.received.count]) }
                }
                // A stream without a delegate would go, and what it still has to send with it.
                (client.delegate, server.delegate) = (Probe(), reader)
                client.write([UInt8](repeating: 3, count: 1_000_000))
            }
        }
        #expect(counts == [1_000_000])
    }

    @Test
    func `a paused stream that watches for the peer's close reports it before the unread bytes`()
        async throws
    {
        let order: [String] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                var order: [String] = []
                let reader = Probe()
                reader.onPeerEnd = { stream in
                    order.append("ended ahead")
                    stream.resumeReading()
                }
                reader.onReceive = { _, bytes in order.append("received \(bytes.count)") }
                reader.onEnd = { _ in finish(order + ["ended"]) }
                (client.delegate, server.delegate) = (Probe(), reader)
                server.pauseReading()
                server.watchForEnd()
                client.write([1, 2, 3])
                client.shutdownWriting()
            }
        }
        #expect(order == ["ended ahead", "received 3", "ended"])
    }

    @Test func `a paused stream that watches for the peer's close also reports a reset`()
        async throws
    {
        let heard: Bool = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let reader = Probe()
                reader.onPeerEnd = { _ in finish(true) }
                (client.delegate, server.delegate) = (Probe(), reader)
                server.pauseReading()
                server.watchForEnd()
                client.write([1, 2, 3])
                loop.afterDispatch { client.abort() }
            }
        }
        #expect(heard)
    }

    @Test func `a stream that is resumed after watching for the peer's close reads as before`()
        async throws
    {
        let order: [String] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                var order: [String] = []
                let reader = Probe()
                reader.onPeerEnd = { _ in order.append("ended ahead") }
                reader.onReceive = { stream, _ in
                    order.append("received")
                    stream.write([4])
                }
                reader.onEnd = { _ in finish(order + ["ended"]) }
                let writer = Probe()
                writer.onReceive = { stream, _ in stream.shutdownWriting() }
                (client.delegate, server.delegate) = (writer, reader)
                server.pauseReading()
                server.watchForEnd()
                server.resumeReading()
                client.write([1])
            }
        }
        #expect(order == ["received", "ended"])
    }
}
