import ProxydCaptureModel
import ProxydTestSupport
import Testing

@testable import ProxydTUI

/// The time that a waterfall shows.
struct TimeSpanTests {
    private static let second: Int64 = 1_000_000_000

    private func row(_ start: Int64, _ duration: Int64?) -> ExchangeRow {
        Rows.row(1) { row in row.durationNs = duration }.starting(at: start)
    }

    private func span(_ rows: [ExchangeRow], now: Int64 = 0) -> TimeSpan {
        TimeSpan(mostOf: rows[...], now: now)
    }

    @Test func `the waterfall shows exchanges of similar duration completely`() {
        let rows = (0..<10).map { row($0 * Self.second, Self.second) }
        #expect(span(rows) == TimeSpan(start: 0, length: 10 * Self.second))
    }

    @Test func `the waterfall clips one exchange that takes far longer than the others`() {
        let rows = (0..<10).map { number in
            row(number * Self.second, (number == 3 ? 5_000 : 1) * Self.second)
        }
        let found = span(rows)
        #expect(found.start == 0)
        #expect(found.length <= 20 * Self.second)
    }

    @Test
    func `the waterfall's time span leaves out one exchange that is a day older than all others`() {
        let rows = [row(0, 1)] + (0..<20).map { row(86_400 * Self.second + $0, Self.second) }
        let found = span(rows)
        #expect(!found.contains(0))
        #expect(found.contains(86_400 * Self.second + 1))
    }

    @Test func `the waterfall shows a few exchanges completely, however far apart they are`() {
        let rows = [row(0, 1), row(86_400 * Self.second, Self.second)]
        #expect(span(rows).length == 86_401 * Self.second)
    }

    @Test func `in the waterfall, exchanges that have not ended extend to the current time`() {
        let rows = [row(0, nil), row(Self.second, 1)]
        #expect(span(rows, now: 10 * Self.second) == TimeSpan(start: 0, length: 10 * Self.second))
        #expect(TimeSpan.end(of: row(5, nil), now: 3) == 5)
    }

    @Test func `at least about 90 % of random exchanges start within the waterfall's time span`() {
        var random = SplitMix(seed: 12)
        for _ in 0..<300 {
            let scale = Int64(1) << Int64.random(in: 10..<60, using: &random)
            let rows = (0..<Int.random(in: 1..<40, using: &random)).map { _ in
                row(
                    Int64.random(in: 0..<scale, using: &random),
                    [nil, 0, Int64.random(in: 0..<scale, using: &random)].pick(&random))
            }
            let found = span(rows, now: scale)
            let seen = rows.count { (0...1).contains(found.share(of: $0.startedAtNs)) }
            #expect(seen * 10 >= (rows.count - 1) * 9, "\(found) \(rows.map(\.startedAtNs))")
        }
    }

    @Test func `exchanges with extreme timestamps give the waterfall a positive time span`() {
        for start in [Int64.min, -1, 0, .max] {
            for duration in [Int64.min, -1, 0, .max] {
                let rows = [Int64.min, 0, .max].map { row($0, duration) } + [row(start, duration)]
                #expect(span(rows).length > 0)
            }
        }
    }

    @Test func `zooming the waterfall keeps the chosen time in place`() {
        let span = TimeSpan(start: 100 * Self.second, length: 10 * Self.second)
        let moment = 103 * Self.second
        for factor in [0.5, 2, 0.1, 10] {
            let zoomed = span.scaled(by: factor, around: moment)
            #expect(abs(zoomed.share(of: moment) - 0.3) < 1e-6)
        }
        #expect(span.scaled(by: 0.5, around: nil).start == 102_500_000_000)
    }

    @Test func `the waterfall zooms from 10 microseconds to about 30 years`() {
        var span = TimeSpan(start: 0, length: Self.second)
        for _ in 0..<100 { span = span.scaled(by: 0.5, around: nil) }
        #expect(span.length == 10_000)
        for _ in 0..<100 { span = span.scaled(by: 2, around: nil) }
        #expect(span.length == 1_000_000_000_000_000_000)
    }

    @Test
    func `moving the waterfall's time span forward and then back restores the original time span`()
    {
        let span = TimeSpan(start: 0, length: Self.second)
        #expect(span.moved(by: 0.25).start == Self.second / 4)
        #expect(span.moved(by: 0.25).moved(by: -0.25) == span)
    }
}

extension ExchangeRow {
    fileprivate func starting(at time: Int64) -> ExchangeRow {
        var row = self
        row.startedAtNs = time
        return row
    }
}
