import ProxydHTTPModel
import Testing

/// Moments, the phases between them, and Alamofire's four durations.
struct TimelineTests {
    private func sample() -> Timeline {
        var timeline = Timeline(wallStart: 1_000_000, start: 500)
        for (moment, offset) in [
            (Moment.requestFirstByte, 0), (.requestHead, 5), (.dnsStart, 10), (.dnsEnd, 30),
            (.connectStart, 30), (.connectEnd, 70), (.tlsStart, 70), (.tlsEnd, 150),
            (.sendStart, 150), (.sendEnd, 160), (.responseFirstByte, 400), (.responseHead, 410),
            (.responseLastByte, 900), (.delivered, 950),
        ] as [(Moment, Int64)] {
            timeline.mark(moment, at: 500 + offset)
        }
        return timeline
    }

    @Test func `timeline phases such as dns, connect and wait are computed as HAR defines them`() {
        let timeline = sample()
        #expect(timeline.blocked == 5)
        #expect(timeline.dns == 20)
        #expect(timeline.connect == 40)
        #expect(timeline.tls == 80)
        #expect(timeline.send == 10)
        #expect(timeline.wait == 240)
        #expect(timeline.receive == 500)
    }

    @Test func `timeline durations such as latency are computed as Alamofire defines them`() {
        let timeline = sample()
        #expect(timeline.latency == 400)
        #expect(timeline.requestDuration == 900)
        #expect(timeline.serializationDuration == 50)
        #expect(timeline.totalDuration == 950)
        #expect(timeline.wallTime(of: .delivered) == 1_000_950)
    }

    @Test func `a timeline phase without recorded moments is nil, and no duration is negative`() {
        var timeline = Timeline(wallStart: 0, start: 100)
        #expect(timeline.dns == nil)
        #expect(timeline.totalDuration == nil)
        timeline.mark(.sendStart, at: 300)
        timeline.mark(.responseFirstByte, at: 250)
        #expect(timeline.wait == 0)
        timeline.mark(.ended, at: 400)
        #expect(timeline.totalDuration == 300)
    }

    @Test
    func `if a response begins before the request is fully sent, wait starts when sending starts`()
    {
        var timeline = Timeline(wallStart: 0, start: 0)
        timeline.mark(.sendStart, at: 10)
        timeline.mark(.responseFirstByte, at: 50)
        timeline.mark(.sendEnd, at: 90)
        #expect(timeline.wait == 40)
    }

    @Test func `marking a timeline moment twice with markOnce keeps the first time`() {
        var timeline = Timeline(wallStart: 0, start: 0)
        timeline.markOnce(.requestHead, at: 1)
        timeline.markOnce(.requestHead, at: 2)
        #expect(timeline[.requestHead] == 1)
        var other = Timeline(wallStart: 0, start: 77)
        other[.requestHead] = 1
        #expect(timeline == other)
        other[.requestHead] = nil
        #expect(timeline != other)
    }
}
