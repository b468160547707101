import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Moments are what was noted of them, and phases lie between two moments.
struct TimelineMomentTests {
    /// A timeline with random moments, and these as a dictionary.
    private func random(_ generator: inout SplitMix) -> (Timeline, [Moment: Int64]) {
        var timeline = Timeline(wallStart: 1_000, start: 500)
        var noted: [Moment: Int64] = [:]
        for moment in Moment.allCases where Bool.random(using: &generator) {
            let offset = Int64.random(in: -50...5_000, using: &generator)
            timeline.mark(moment, at: 500 + offset)
            noted[moment] = offset
        }
        return (timeline, noted)
    }

    @Test(arguments: 0..<8)
    func `a timeline gives back every moment exactly as it was marked`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        for _ in 0..<100 {
            var (timeline, noted) = random(&generator)
            for moment in Moment.allCases {
                #expect(timeline[moment] == noted[moment])
                #expect(timeline.wallTime(of: moment) == noted[moment].map { $0 + 1_000 })
            }
            var visited: [Moment] = []
            timeline.forEachMoment { moment, offset in
                visited.append(moment)
                #expect(noted[moment] == offset)
            }
            #expect(visited == Moment.allCases.filter { noted[$0] != nil })
            for moment in Moment.allCases { timeline.markOnce(moment, at: 600) }
            for moment in Moment.allCases { #expect(timeline[moment] == noted[moment] ?? 100) }
        }
    }

    @Test(arguments: 0..<8)
    func `timeline phases are never negative, and need both their start and their end`(seed: Int) {
        var generator = SplitMix(seed: UInt64(seed))
        for _ in 0..<200 {
            let (timeline, noted) = random(&generator)
            func between(_ first: Moment, _ last: Moment) -> Int64? {
                guard let start = noted[first], let end = noted[last] else { return nil }
                return max(0, end - start)
            }
            #expect(timeline.dns == between(.dnsStart, .dnsEnd))
            #expect(timeline.connect == between(.connectStart, .connectEnd))
            #expect(timeline.tls == between(.tlsStart, .tlsEnd))
            #expect(timeline.send == between(.sendStart, .sendEnd))
            #expect(timeline.receive == between(.responseFirstByte, .responseLastByte))
            #expect(timeline.serializationDuration == between(.responseLastByte, .delivered))
            #expect(
                timeline.duration(from: .ended, to: .requestHead) == between(.ended, .requestHead))
            #expect(timeline.latency == noted[.responseFirstByte].map { max(0, $0) })
            #expect(timeline.requestDuration == noted[.responseLastByte].map { max(0, $0) })
            let isWaited =
                noted[.responseFirstByte] != nil
                && (noted[.sendStart] != nil || noted[.sendEnd] != nil)
            if !isWaited { #expect(timeline.wait == nil) }
            #expect((timeline.wait ?? 0) >= 0 && (timeline.blocked ?? 0) >= 0)
            let end = noted[.delivered] ?? noted[.ended] ?? noted.values.max()
            #expect(timeline.totalDuration == end.map { max(0, $0) })
        }
    }

    @Test(arguments: 0..<4)
    func `timelines with the same moments are equal, whatever their monotonic start time`(seed: Int)
    {
        var generator = SplitMix(seed: UInt64(seed))
        for _ in 0..<100 {
            let (timeline, noted) = random(&generator)
            var other = Timeline(wallStart: 1_000, start: 9)
            for (moment, offset) in noted { other[moment] = offset }
            #expect(timeline == other && timeline.hashValue == other.hashValue)
            let moment = Moment.allCases.pick(&generator)
            other[moment] = noted[moment].map { $0 + 1 } ?? 7
            #expect(timeline != other)
            var reused = timeline
            reused.connectionReused = true
            #expect(timeline != reused)
        }
    }

    @Test(arguments: [
        (Int64(1), Int64(2), Int64(3)), (.max, 1, .max), (.min, -1, .min), (.max, .min, -1),
        (-5, 5, 0), (.min, .max, -1),
    ])
    func `a clamped addition limits its sum to the range of 64-bit integers`(
        a: Int64, b: Int64, sum: Int64
    ) {
        #expect(a.addingClamped(b) == sum && b.addingClamped(a) == sum)
    }
}
