import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// What is known of HTTP/2 connections, and the frames that are kept of them.
struct HTTP2FactsTests {
    @Test(arguments: [
        (UInt16(1), "HEADER_TABLE_SIZE"), (2, "ENABLE_PUSH"), (3, "MAX_CONCURRENT_STREAMS"),
        (4, "INITIAL_WINDOW_SIZE"), (5, "MAX_FRAME_SIZE"), (6, "MAX_HEADER_LIST_SIZE"),
        (7, "7"), (8, "ENABLE_CONNECT_PROTOCOL"), (9, "NO_RFC7540_PRIORITIES"), (0, "0"),
        (.max, "65535"),
    ])
    func `an HTTP/2 SETTINGS parameter is shown by its RFC name, or by its number if unknown`(
        number: UInt16, name: String
    ) {
        let setting = HTTP2ConnectionFacts.Setting(number: number, value: 1)
        #expect(setting.name == name && setting.isConcurrentStreamCountMax == (number == 3))
    }

    @Test func `later facts about an HTTP/2 connection replace its settings and add to its frames`()
    {
        var facts = HTTP2ConnectionFacts(
            ourSettings: [.init(number: 3, value: 100)], peerSettings: [], frames: [1, 2])
        facts.append(
            HTTP2ConnectionFacts(
                ourSettings: [.init(number: 3, value: 100)],
                peerSettings: [.init(number: 4, value: 5), .init(number: 4, value: 6)],
                frames: [3]))
        #expect(facts.frames == [1, 2, 3] && facts.ourSettings.count == 1)
        #expect(facts.peerSettings.map(\.value) == [5, 6])
        facts.append(HTTP2ConnectionFacts())
        #expect(facts.peerSettings == [] && facts.frames == [1, 2, 3])
    }

    @Test func `an HTTP/2 frame type is shown by its RFC name, or by its number if unknown`() {
        let names = [
            "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING",
            "GOAWAY", "WINDOW_UPDATE", "CONTINUATION",
        ]
        let named = (0..<UInt8(names.count)).map { type in
            FrameRecord(side: .client, isSent: true, type: type).typeName
        }
        #expect(named == names)
        for (type, name) in [(UInt8(10), "type 10"), (0x10, "PRIORITY_UPDATE"), (255, "type 255")] {
            #expect(FrameRecord(side: .server, isSent: false, type: type).typeName == name)
        }
    }

    private func random(_ random: inout SplitMix) -> FrameRecord {
        var frame = FrameRecord(
            side: Bool.random(using: &random) ? .client : .server,
            isSent: .random(using: &random), type: .random(in: 0...20, using: &random),
            flags: .random(in: .min ... .max, using: &random),
            byteCount: UInt64.random(in: 0...(1 << 24), using: &random))
        frame.timeUs = .random(in: -5...(1 << 40), using: &random)
        if frame.type == 3 || frame.type == 8 {
            frame.value = .random(in: 0...UInt64(UInt32.max), using: &random)
        }
        if Bool.random(using: &random) { frame.frameCount = .random(in: 2...9_000, using: &random) }
        if Bool.random(using: &random) {
            frame.bytes = (0..<Int.random(in: 1...20, using: &random)).map { UInt8($0) }
        }
        return frame
    }

    @Test(arguments: 0..<8)
    func `random HTTP/2 frame records decode unchanged, whether written together or one by one`(
        seed: Int
    ) {
        var generator = SplitMix(seed: UInt64(seed))
        let frames = (0..<50).map { _ in random(&generator) }
        var (whole, time) = ([UInt8](), Int64(0))
        for frame in frames { FrameTimeline.append(frame, since: &time, to: &whole) }
        #expect(FrameTimeline.records(whole) == frames && time == frames.last?.timeUs)
        var (pieces, since) = ([UInt8](), Int64(0))
        for frame in frames {
            var piece: [UInt8] = []
            FrameTimeline.append(frame, since: &since, to: &piece)
            pieces += piece
        }
        #expect(pieces == whole)
    }

    @Test(arguments: 0..<4)
    func `removing frame bytes from encoded HTTP/2 frame records leaves their other values alone`(
        seed: Int
    ) {
        var generator = SplitMix(seed: UInt64(seed))
        let frames = (0..<30).map { _ in random(&generator) }
        var (bytes, time) = ([UInt8](), Int64(0))
        for frame in frames { FrameTimeline.append(frame, since: &time, to: &bytes) }
        let bare = frames.map { frame in
            var frame = frame
            frame.bytes = []
            return frame
        }
        #expect(FrameTimeline.records(FrameTimeline.withoutBytes(bytes)) == bare)
        #expect(FrameTimeline.withoutBytes(bytes).count <= bytes.count)
    }

    @Test(arguments: 0..<8)
    func `HTTP/2 frame records read from random bytes can be written and read again`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            let records = FrameTimeline.records(bytes)
            #expect(records.count <= bytes.count / 4)
            // What was read is written and read again as the same.
            var (again, time) = ([UInt8](), Int64(0))
            for record in records { FrameTimeline.append(record, since: &time, to: &again) }
            #expect(FrameTimeline.records(again).count == records.count)
        }
    }

    @Test func `an HTTP/2 frame record with a number of more than 64 bits is not read`() {
        let long = [UInt8](repeating: 0xFF, count: 12)
        #expect(FrameTimeline.records([0] + long).isEmpty)
        #expect(FrameTimeline.records([0, 0, 0] + long).isEmpty)
        #expect(FrameTimeline.records([0x80, 0, 0, 0] + long).isEmpty)
    }
}
