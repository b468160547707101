import ProxydHTTPModel
import ProxydPresentation
import Testing

struct TimelineLinesTests {
    /// A request that waits for 6 of its 10 ms.
    private static func timeline() -> Timeline {
        var timeline = Timeline(wallStart: 1_763_632_800_123_000_000, start: 0)
        let moments: [(Moment, Int64)] = [
            (.requestFirstByte, 0), (.requestLastByte, 1), (.sendStart, 1), (.sendEnd, 2),
            (.responseFirstByte, 8), (.responseLastByte, 9), (.delivered, 10),
        ]
        for (moment, milliseconds) in moments { timeline[moment] = milliseconds * 1_000_000 }
        return timeline
    }

    @Test
    func `in the timeline, each phase that occurred has a bar at its time, and others have none`() {
        let lines = TimelineLines(Self.timeline()).bars(columnCount: 10).map(\.text)
        #expect(
            lines == [
                "upload         1 ms  █",
                "send           1 ms   █",
                "wait           6 ms    ██████",
                "receive        1 ms          █",
                "deliver        1 ms           █",
            ])
        let server = TimelineLines(Self.timeline()).bars(TimelinePhase.server)
        #expect(server.map { $0.text.prefix(7) } == ["send   ", "wait   ", "receive"])
    }

    @Test func `a timeline without recorded times shows only its total`() {
        let empty = TimelineLines(Timeline(wallStart: 0, start: 0))
        #expect(empty.bars().isEmpty)
        #expect(empty.moments(WallTime()).isEmpty)
        #expect(empty.total.text == "total          0 µs  ")
    }

    @Test func `timeline events are listed in order of time, with offset and clock time`() {
        let lines = TimelineLines(Self.timeline()).moments(WallTime()).map(\.text)
        #expect(lines.count == 7)
        #expect(lines.first == "+0 µs       10:00:00.123  first byte of the request")
        #expect(lines.last == "+10 ms      10:00:00.133  last byte sent to the client")
    }

    @Test func `every timeline event and every phase has a distinct name`() {
        var timeline = Timeline(wallStart: 0, start: 0)
        for moment in Moment.allCases { timeline[moment] = Int64(moment.rawValue) * 1_000_000 }
        let lines = TimelineLines(timeline).moments(WallTime()).map(\.text)
        #expect(lines.count == Moment.allCases.count)
        #expect(Set(lines.map { $0.dropFirst(26) }).count == Moment.allCases.count)
        #expect(lines.first?.hasSuffix("the client connected") == true)
        #expect(lines.last?.hasSuffix("the exchange ended") == true)
        let phases = TimelineLines(timeline).bars(columnCount: 1).map { $0.text.prefix(9) }
        #expect(Set(phases).count == TimelinePhase.all.count)
    }

    @Test func `timeline events with the same time are listed in the order they normally occur in`()
    {
        var timeline = Timeline(wallStart: 0, start: 0)
        for moment in [Moment.sendEnd, .sendStart, .dnsEnd, .dnsStart] { timeline[moment] = 5 }
        let names = TimelineLines(timeline).moments(WallTime()).map { $0.text.dropFirst(26) }
        #expect(
            names == [
                "name lookup started", "name lookup ended", "first byte sent to the server",
                "last byte sent to the server",
            ])
    }

    @Test
    func `the HTTP frames of an exchange are listed in order of time, with sender and receiver`() {
        var (bytes, time) = ([UInt8](), Int64(0))
        for frame in [
            FrameRecord(side: .server, isSent: true, type: 1, flags: 5, byteCount: 30, timeUs: 200),
            FrameRecord(side: .client, isSent: false, type: 1, flags: 4, byteCount: 33, timeUs: 0),
            FrameRecord(side: .client, isSent: true, type: 8, value: 9, timeUs: 300),
        ] { FrameTimeline.append(frame, since: &time, to: &bytes) }
        let lines = TimelineLines.frames(bytes).map(\.text)
        #expect(
            lines == [
                "+0 µs       client → proxy   HEADERS END_HEADERS 33 B",
                "+200 µs     proxy → server   HEADERS END_STREAM END_HEADERS 30 B",
                "+300 µs     proxy → client   WINDOW_UPDATE +9 B",
            ])
        #expect(TimelineLines.frames([]).isEmpty && TimelineLines.frames([1]).isEmpty)
    }

    @Test func `a phase that ends before it starts has no bar`() {
        var timeline = Self.timeline()
        timeline[.sendStart] = 9_000_000
        let names = TimelineLines(timeline).bars().map { $0.text.prefix(4) }
        #expect(!names.contains("send"))
    }
}
