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

    @Test func `phases have bars at their places, those that did not come have none`() {
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

    @Test func `a timeline without moments has nothing but its total`() {
        let empty = TimelineLines(Timeline(wallStart: 0, start: 0))
        #expect(empty.bars().isEmpty)
        #expect(empty.moments(WallTime()).isEmpty)
        #expect(empty.total.text == "total          0 µs  ")
    }

    @Test func `moments come in the order of time, with the clock`() {
        let lines = TimelineLines(Self.timeline()).moments(WallTime()).map(\.text)
        #expect(lines.count == 7)
        #expect(lines.first == "+0 µs       10:00:00.123  first byte of the request")
        #expect(lines.last == "+10 ms      10:00:00.133  last byte sent to the client")
    }

    @Test func `moments that go backward draw no bar`() {
        var timeline = Self.timeline()
        timeline[.sendStart] = 9_000_000
        let names = TimelineLines(timeline).bars().map { $0.text.prefix(4) }
        #expect(!names.contains("send"))
    }
}
