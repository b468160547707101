import ProxydCaptureModel
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Exchanges by the time at which they started.
struct TimeHistogramTests {
    private static let second: Int64 = 1_000_000_000

    private func histogram(_ seconds: [Int64], errors: Set<Int64> = []) -> TimeHistogram {
        seconds.reduce(into: TimeHistogram()) {
            $0.add(startedAtNs: $1 * Self.second, isError: errors.contains($1))
        }
    }

    @Test func `a time histogram without exchanges has no intervals`() {
        #expect(TimeHistogram().all.isEmpty && TimeHistogram().intervalNs == Self.second)
    }

    @Test func `a time histogram includes the empty intervals between exchanges`() {
        let all = histogram([10, 12, 12], errors: [12]).all
        #expect(all.map(\.startNs) == [10, 11, 12].map { $0 * Self.second })
        #expect(all.map(\.interval.count) == [1, 0, 2])
        #expect(all.map(\.interval.errorCount) == [0, 0, 2])
    }

    @Test
    func `a time histogram counts an exchange by its start time, even if that is before 1970`() {
        var histogram = TimeHistogram()
        for time in [-1, 0, Self.second - 1, Self.second, -Self.second] {
            histogram.add(startedAtNs: time, isError: false)
        }
        #expect(histogram.all.map(\.startNs) == [-Self.second, 0, Self.second])
        #expect(histogram.all.map(\.interval.count) == [2, 2, 1])
    }

    @Test
    func `time histogram intervals double in length until their number is within the maximum`() {
        let most = Int64(TimeHistogram.intervalCountMax)
        #expect(histogram([0, most - 1]).intervalNs == Self.second)
        let wider = histogram([0, 1, 2, most])
        #expect(wider.intervalNs == 2 * Self.second)
        #expect(wider.all.map(\.interval.count).prefix(2) == [2, 1])
        #expect(histogram([0, 86_400]).all.count <= Int(most))
    }

    @Test func `a time histogram counts every exchange, in whatever order they are added`() {
        var random = SplitMix(seed: 3)
        for _ in 0..<50 {
            let seconds = (0..<40).map { _ in Int64.random(in: -5_000...5_000, using: &random) }
            let errors = Set(seconds.prefix(10))
            let made = histogram(seconds, errors: errors)
            #expect(histogram(seconds.shuffled(using: &random), errors: errors) == made)
            #expect(made.all.reduce(0) { $0 + $1.interval.count } == 40)
            let errorCount = seconds.count { errors.contains($0) }
            #expect(made.all.reduce(0) { $0 + $1.interval.errorCount } == Int64(errorCount))
            #expect(made.all.count <= TimeHistogram.intervalCountMax)
        }
    }

    @Test func `a time histogram can hold the earliest and latest possible times together`() {
        var histogram = TimeHistogram()
        for time in [Int64.max, .min, 0] { histogram.add(startedAtNs: time, isError: true) }
        let all = histogram.all
        #expect(all.count <= TimeHistogram.intervalCountMax)
        #expect(all.reduce(0) { $0 + $1.interval.count } == 3)
    }
}
