import ProxydCaptureModel
import ProxydTestSupport
import Testing

/// Counts over time.
struct TimeHistogramTests {
    private static func counted(_ times: [Int64]) -> TimeHistogram {
        var histogram = TimeHistogram()
        for time in times { histogram.add(startedAtNs: time, isError: time % 2 != 0) }
        return histogram
    }

    @Test func `a time histogram of no exchanges has no intervals`() {
        #expect(TimeHistogram().all.isEmpty)
    }

    @Test func `a time histogram of a few seconds has intervals of one second`() {
        let second: Int64 = 1_000_000_000
        let histogram = TimeHistogramTests.counted([5 * second, 5 * second + 1, 7 * second])
        #expect(histogram.intervalNs == second)
        #expect(histogram.all.map(\.startNs) == [5 * second, 6 * second, 7 * second])
        #expect(histogram.all.map(\.interval.count) == [2, 0, 1])
        #expect(histogram.all.map(\.interval.errorCount) == [1, 0, 0])
    }

    @Test(arguments: [UInt64](1...20))
    func `a time histogram counts every exchange in any order and limits its intervals`(
        seed: UInt64
    ) {
        var generator = SplitMix(seed: seed)
        let span = Int64(1) << Int64.random(in: 20...62, using: &generator)
        let times = (0..<400).map { _ in Int64.random(in: -span...span, using: &generator) }
        let histogram = TimeHistogramTests.counted(times)
        #expect(histogram == TimeHistogramTests.counted(times.reversed()))
        let intervals = histogram.all
        #expect(intervals.count <= TimeHistogram.intervalCountMax)
        #expect(intervals.map(\.interval.count).reduce(0, +) == 400)
        for (start, interval) in intervals {
            let inside = times.filter { $0 >= start && $0 - start < histogram.intervalNs }
            #expect(inside.count == Int(interval.count))
        }
    }

    @Test func `a time histogram counts the earliest and latest times without overflow`() {
        let histogram = TimeHistogramTests.counted([.min, 0, .max])
        #expect(histogram.all.map(\.interval.count).reduce(0, +) == 3)
    }
}
