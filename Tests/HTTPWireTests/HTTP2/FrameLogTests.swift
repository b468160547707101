import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

/// What is kept of frames, and how much.
struct FrameLogTests {
    private static func note(
        _ log: FrameLog, _ type: FrameType, count: Int, length: Int = 10, value: UInt64 = 0
    ) {
        for number in 0..<count {
            log.note(
                FrameHeader(length: length, type: type, stream: 1), side: .server, isSent: false,
                value: value, bytes: [], now: Int64(number) * 1_000)
        }
    }

    @Test func `the frame log combines many DATA frames into runs and still counts every frame`() {
        let log = FrameLog(.timeline, startedAt: 0)
        Self.note(log, .headers, count: 1)
        Self.note(log, .data, count: 100_000)
        Self.note(log, .windowUpdate, count: 1_000, value: 7)
        let bytes = log.take(isLast: true)
        #expect(bytes.count < 2_048)
        let frames = FrameTimeline.records(bytes)
        let bodies = frames.filter { $0.type == 0 }
        #expect(bodies.reduce(0) { $0 + Int($1.frameCount) } == 100_000)
        #expect(bodies.reduce(0) { $0 + Int($1.byteCount) } == 1_000_000)
        let windows = frames.filter { $0.type == 8 }
        #expect(windows.reduce(0) { $0 + Int($1.value) } == 7_000)
    }

    @Test func `the frame log of a very long stream stays bounded and keeps the final reset`() {
        let log = FrameLog(.timeline, startedAt: 0)
        var bytes: [UInt8] = []
        for _ in 0..<100_000 {
            Self.note(log, .data, count: 300)
            bytes += log.take()
        }
        Self.note(log, .resetStream, count: 1, value: 8)
        bytes += log.take(isLast: true)
        #expect(bytes.count < 80 << 10)
        let frames = FrameTimeline.records(bytes)
        #expect(frames.contains { $0.type == 3 && $0.value == 8 })
        #expect(frames.reduce(0) { $0 + Int($1.frameCount) } == 30_000_001)
    }

    @Test(arguments: [1, 7, Int.max])
    func `the frame log records received frames byte for byte, wherever the input is split`(
        pieces: Int
    ) {
        var side = HTTP2Side(.server) { $0.frames = .bytes(max: 1 << 20) }
        let frames = [
            Frames.request(1, method: "POST", ends: false),
            Frames.frame(0, flags: 8, stream: 1, [2] + Array("body".utf8) + [0, 0]),
            Frames.frame(0xBE, stream: 1, [1, 2, 3]),
            Frames.frame(8, stream: 1, Frames.number(5)),
            Frames.frame(0, flags: 1, stream: 1),
        ]
        side.take(Frames.preface + Frames.settings() + frames.flatMap { $0 }, pieces: pieces)
        let log = side.connection.frameLog(of: StreamID(rawValue: 1))
        let records = FrameTimeline.records(log?.take(isLast: true) ?? [])
        #expect(records.map(\.bytes) == frames)
        #expect(records.map(\.type) == [1, 0, 0xBE, 8, 0] && records[3].value == 5)
        #expect(records.allSatisfy { $0.side == .client && !$0.isSent })
    }

    @Test func `the frame log omits bytes over its limit but still records their frames`() {
        var side = HTTP2Side(.server) { $0.frames = .bytes(max: 100) }
        side.take(
            Frames.preface + Frames.settings() + Frames.request(1, method: "POST", ends: false)
                + Frames.frame(0, flags: 1, stream: 1, [UInt8](repeating: 1, count: 200)))
        let log = side.connection.frameLog(of: StreamID(rawValue: 1))
        let records = FrameTimeline.records(log?.take(isLast: true) ?? [])
        #expect(records.map(\.byteCount).last == 200 && records.last?.bytes == [])
    }

    @Test func `the frame log of a connection keeps at most 1000 frames`() {
        var side = HTTP2Side(.server) { $0.frames = .timeline }
        side.take(Frames.preface + Frames.settings([(3, 50), (0x99, 1)]))
        for second in 0..<30 {
            side.now = Int64(second) * 10_000_000_000
            for _ in 0..<100 { side.take(Frames.frame(6, [0, 0, 0, 0, 0, 0, 0, 0])) }
        }
        let facts = side.connection.takeFacts()
        #expect(side.error == nil)
        #expect(facts.peerSettings.map(\.name) == ["MAX_CONCURRENT_STREAMS", "153"])
        let frames = FrameTimeline.records(facts.frames)
        #expect(frames.count == 1_000 && frames[2].type == 4)
    }
}
