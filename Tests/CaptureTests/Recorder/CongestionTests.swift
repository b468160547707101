@testable import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@Suite struct `A queue that is full` {
    let store = TemporaryStore()

    private func recorder(
        _ policy: RecorderConfiguration.CongestionPolicy
    ) throws -> Recorder {
        var configuration = RecorderConfiguration.forTests
        configuration.queueByteCountMax = 50_000
        configuration.congestionPolicy = policy
        return try store.recorder(configuration)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a full recorder queue makes senders wait and calls them back when it has room`()
        async throws
    {
        let recorder = try recorder(.slow)
        var hasWaited = false
        for _ in 0..<2_000 {
            if recorder.isCongested {
                hasWaited = true
                await withCheckedContinuation { continuation in
                    recorder.whenDrained { continuation.resume() }
                }
            }
            recorder.recordSample(responseBody: [UInt8](repeating: 1, count: 5_000))
        }
        try recorder.flush()
        #expect(hasWaited)
        #expect(recorder.status.droppedBodyByteCount == 0)
        #expect(try store.reader().exchangeCount() == 2_000)
        #expect(
            try store.sql(
                "SELECT count(*) FROM exchange WHERE response_kept_bytes = 5000") == ["2000"])
        recorder.stop()
    }

    /// The short ones come as one piece, the others do not.
    @Test(arguments: [1_000, 40_000])
    func `a full recorder queue records how many bytes of bodies it drops`(
        byteCount: Int
    ) throws {
        let recorder = try recorder(.drop)
        for _ in 0..<2_000 {
            #expect(!recorder.isCongested)
            recorder.recordSample(responseBody: [UInt8](repeating: 1, count: byteCount))
        }
        try recorder.flush()
        let status = recorder.status
        #expect(status.droppedBodyByteCount > 0)
        let rows = try store.sql(
            """
            SELECT count(*), sum(response_body_bytes - response_kept_bytes) FROM exchange
            """)
        let stored = 2_000 - status.droppedExchangeCount
        let inRows = status.droppedBodyByteCount - status.droppedExchangeCount * Int64(byteCount)
        #expect(rows == ["\(stored)|\(inRows)"])
        recorder.stop()
    }

    /// News of an open WebSocket: messages of a size, which are nothing but ones.
    private func news(count: Int, byteCount: Int) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: 1), state: .active, timeline: Timeline(wallStart: 0, start: 0),
            isFirst: false)
        let content = MessageRecord.Content.bytes([UInt8](repeating: 1, count: byteCount))
        update.messages = (0..<count).map { _ in
            MessageRecord(
                direction: .toClient, kind: .binary, byteCount: Int64(byteCount), content: content)
        }
        return update
    }

    private func queue(byteCountMax: Int) -> RecorderQueue {
        var configuration = RecorderConfiguration.forTests
        configuration.queueByteCountMax = byteCountMax
        configuration.congestionPolicy = .drop
        return RecorderQueue(configuration)
    }

    @Test func `a full recorder queue drops message contents and marks the messages as truncated`()
    {
        let queue = queue(byteCountMax: 50_000)
        for _ in 0..<3 { queue.add(news(count: 1, byteCount: 30_000)) }
        let full = queue.take(until: 0, isPaused: false).batch
        queue.release(full)
        queue.add(news(count: 1, byteCount: 30_000))
        let later = queue.take(until: 0, isPaused: false).batch
        let messages = [full, later].map { $0.updates.flatMap(\.messages) }
        #expect(messages.map { $0.map(\.memoryByteCount) } == [[30_000, 0, 0], [30_000]])
        #expect(messages[0].map { $0.flags.contains(.cut) } == [false, true, true])
        #expect(queue.counters.droppedBodyByteCount == 60_000)
        queue.release(later)
        #expect(queue.counters.byteCount == 0)
    }

    @Test func `the recorder queue is limited in size even if it gets many empty messages`() {
        let queue = queue(byteCountMax: 50_000)
        for _ in 0..<1_000 { queue.add(news(count: 100, byteCount: 0)) }
        #expect(queue.counters.byteCount < 1_000_000)
    }

    @Test(arguments: RecorderConfiguration.CongestionPolicy.allCases)
    func `a full recorder queue still accepts a limited number of connections`(
        policy: RecorderConfiguration.CongestionPolicy
    ) throws {
        var configuration = RecorderConfiguration.forTests
        configuration.queueByteCountMax = 50_000
        configuration.congestionPolicy = policy
        let queue = RecorderQueue(configuration)
        var number: Int64 = 0
        while queue.counters.droppedExchangeCount == 0 {
            number += 1
            queue.add(Samples.complete(ExchangeID(rawValue: number), "/"))
        }
        let full = queue.counters.byteCount
        var connections: Int64 = 0
        while queue.counters.droppedConnectionCount == 0, connections < 1_000 {
            connections += 1
            queue.add(
                ConnectionRecord(
                    id: ConnectionID(rawValue: connections), side: .client, openedAt: 0,
                    peerAddress: "127.0.0.1:1", localAddress: "127.0.0.1:2"))
        }
        #expect((2..<1_000).contains(connections))
        #expect(queue.counters.byteCount - full <= 50_000 / 4)
        queue.stop()
        let batch = queue.take(until: 0, isPaused: false).batch
        #expect(batch.connections.count == Int(connections) - 1)
        queue.release(batch)
        #expect(queue.counters.byteCount == 0)
    }

    /// The store takes nothing, then it takes again, and what waited is not written yet.
    @Test(arguments: RecorderConfiguration.CongestionPolicy.allCases)
    func `a recorder queue that is too full for bodies still accepts exchanges`(
        policy: RecorderConfiguration.CongestionPolicy
    ) {
        var configuration = RecorderConfiguration.forTests
        configuration.queueByteCountMax = 50_000
        configuration.congestionPolicy = policy
        let queue = RecorderQueue(configuration)
        let body = [UInt8](repeating: 1, count: 3_000)
        var number: Int64 = 0
        func add(upTo byteCount: Int) {
            while queue.counters.byteCount < byteCount, queue.counters.droppedExchangeCount == 0 {
                number += 1
                queue.add(Samples.complete(ExchangeID(rawValue: number), "/", responseBody: body))
            }
        }
        queue.setUnwritable(true)
        add(upTo: 120_000)
        queue.setUnwritable(false)
        add(upTo: 190_000)
        #expect(queue.counters.droppedExchangeCount == 0)
        #expect(queue.counters.droppedBodyByteCount > 0)
        add(upTo: .max)
        #expect(queue.counters.droppedExchangeCount == 1)
        #expect(queue.counters.byteCount <= 200_000)
        queue.stop()
    }

    @Test(arguments: RecorderConfiguration.CongestionPolicy.allCases)
    func `the recorder queue limits forwarded bodies like all other bodies`(
        policy: RecorderConfiguration.CongestionPolicy
    ) {
        var configuration = RecorderConfiguration.forTests
        configuration.queueByteCountMax = 50_000
        configuration.congestionPolicy = policy
        let queue = RecorderQueue(configuration)
        let id = ExchangeID(rawValue: 1)
        let head = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        queue.add(Samples.begun(id))
        for _ in 0..<100 {
            var later = Samples.later(id)
            later.events = [
                .sentRequestBody([UInt8](repeating: 1, count: 20_000)), .sentResponseHead(head),
                .sentResponseBody([UInt8](repeating: 1, count: 20_000)),
            ]
            queue.add(later)
        }
        #expect(queue.counters.byteCount <= 200_000)
        #expect(queue.counters.droppedBodyByteCount > 3_000_000)
        queue.stop()
    }

    @Test func `a recorder queue that has room calls waiting senders back immediately`()
        async throws
    {
        let recorder = try recorder(.slow)
        await withCheckedContinuation { continuation in
            recorder.whenDrained { continuation.resume() }
        }
        recorder.stop()
    }
}
