import ProxydHTTPModel
import Testing

/// What frames are kept as, and read from again.
@Suite struct FrameTimelineTests {
    static let frames = [
        FrameRecord(side: .client, isSent: false, type: 1, flags: 5, byteCount: 33),
        FrameRecord(side: .server, isSent: true, type: 1, flags: 5, byteCount: 30, timeUs: 70),
        FrameRecord(
            side: .server, isSent: false, type: 0, flags: 1, byteCount: 1 << 40, frameCount: 300,
            timeUs: 1_000_000_000),
        FrameRecord(
            side: .client, isSent: true, type: 8, byteCount: 4, value: 1 << 31, timeUs: 900),
        FrameRecord(side: .client, isSent: false, type: 3, byteCount: 4, value: 8, timeUs: -5),
        FrameRecord(
            side: .client, isSent: true, type: 0x10, byteCount: 2,
            bytes: [0, 0, 2, 16, 0, 0, 0, 0, 0, 7, 7]),
        FrameRecord(side: .server, isSent: true, type: 15, byteCount: .max, timeUs: .max),
    ]

    @Test func `encoded HTTP/2 frame records are decoded unchanged`() {
        var bytes: [UInt8] = []
        var time: Int64 = 0
        for frame in Self.frames { FrameTimeline.append(frame, since: &time, to: &bytes) }
        #expect(FrameTimeline.records(bytes) == Self.frames)
    }

    @Test func `a truncated HTTP/2 frame record is dropped, and the records before it are kept`() {
        var bytes: [UInt8] = []
        var time: Int64 = 0
        var ends: [Int] = []
        for frame in Self.frames {
            FrameTimeline.append(frame, since: &time, to: &bytes)
            ends.append(bytes.count)
        }
        for count in bytes.indices {
            let whole = ends.count { $0 <= count }
            #expect(FrameTimeline.records(Array(bytes[..<count])) == Array(Self.frames[..<whole]))
        }
    }

    @Test func `a typical HTTP/2 frame record is encoded in four bytes`() {
        var bytes: [UInt8] = []
        var time: Int64 = 0
        FrameTimeline.append(
            FrameRecord(side: .client, isSent: false, type: 1, flags: 5, byteCount: 33, timeUs: 60),
            since: &time, to: &bytes)
        #expect(bytes.count == 4)
    }

    @Test(arguments: [[UInt8](repeating: 0xFF, count: 64), [0x80, 0, 0, 0, 0xFF, 0xFF, 0x7F, 1]])
    func `bytes that are not valid HTTP/2 frame records yield no records`(bytes: [UInt8]) {
        #expect(FrameTimeline.records(bytes).isEmpty)
    }

    @Test func `HTTP/2 frame types are shown by their RFC names, such as WINDOW_UPDATE`() {
        let names = [0, 8, 16, 99].map {
            FrameRecord(side: .client, isSent: false, type: $0).typeName
        }
        #expect(names == ["DATA", "WINDOW_UPDATE", "PRIORITY_UPDATE", "type 99"])
    }
}
