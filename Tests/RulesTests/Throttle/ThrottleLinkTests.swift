import ProxydTestSupport
import Testing

@testable import ProxydRules

@Suite struct ThrottleLinkTests {
    private typealias Arrival = ThrottleRun.Arrival

    @Test func `a throttle delivers bytes at its rate limit`() {
        var run = ThrottleRun(bytesPerSecond: 50_000)
        run.come(5_000, atMs: 0)
        run.run()
        // Ten pieces of 10 ms.
        #expect(run.arrivals.count == 10)
        #expect(run.arrivals.first == Arrival(ms: 10, flow: 1, kind: .bytes(500)))
        #expect(run.ms(ofByte: 5_000) == 100)
    }

    @Test func `an idle throttle saves no bandwidth for later`() {
        var run = ThrottleRun(bytesPerSecond: 50_000)
        run.come(5_000, atMs: 0)
        run.come(5_000, atMs: 1_000)
        run.run()
        #expect(run.ms(ofByte: 5_000) == 100)
        #expect(run.ms(ofByte: 10_000) == 1_100)
    }

    @Test func `the latency of a throttle delays bytes without lowering the throughput`() {
        var run = ThrottleRun(bytesPerSecond: 50_000, latencyMs: 50)
        run.come(5_000, atMs: 0)
        run.come(5_000, atMs: 0)
        run.run()
        #expect(run.ms(ofByte: 1) == 60)
        #expect(run.ms(ofByte: 5_000) == 150)
        #expect(run.ms(ofByte: 10_000) == 250)
    }

    @Test
    func `a throttled stream that already waited for the latency is delayed only by the rate`() {
        var link = ThrottleLink(ThrottleProfile(downKbps: 400, latencyMs: 100), .down, seed: 0)
        let (exchange, connection) = (
            ThrottleFlow(rawValue: 1, goesThroughPipe: false), ThrottleFlow(rawValue: 2)
        )
        link.add(500, of: exchange, atNs: 0)
        link.add(500, of: connection, atNs: 0)
        var arrivals: [String] = []
        while let due = link.nextDueNs {
            for arrival in link.arrivals(byNs: due) {
                arrivals.append("\(arrival.flow.rawValue) at \(due / 1_000_000)")
            }
        }
        #expect(arrivals == ["1 at 10", "2 at 70"])
    }

    @Test
    func `bytes added to a throttled stream are queued behind bytes that are already waiting`() {
        var link = ThrottleLink(ThrottleProfile(downKbps: 400), .down, seed: 0)
        let flow = ThrottleFlow(rawValue: 1)
        link.add(500, of: flow, atNs: 0)
        // The first 500 are on the link.
        link.add(250, of: flow, atNs: 5_000_000)
        #expect(link.arrivals(byNs: 10_000_000) == [.init(flow: flow, kind: .bytes(500))])
        link.add(250, of: flow, atNs: 10_000_000)
        #expect(link.arrivals(byNs: 20_000_000) == [.init(flow: flow, kind: .bytes(500))])
        #expect(link.nextDueNs == nil)
    }

    @Test func `a throttle without a rate limit delays bytes by the latency only`() {
        var run = ThrottleRun(bytesPerSecond: nil, latencyMs: 50)
        run.come(5_000, atMs: 0)
        run.come(40_000, atMs: 10)
        run.run()
        #expect(
            run.arrivals == [
                Arrival(ms: 50, flow: 1, kind: .bytes(5_000)),
                Arrival(ms: 60, flow: 1, kind: .bytes(40_000)),
            ])
    }

    @Test func `a throttle with a rate limit of 0 delivers nothing`() {
        var run = ThrottleRun(ThrottleLink(ThrottlePreset.offline.profile, .down, seed: 1))
        run.come(5_000, atMs: 0)
        #expect(run.link.nextDueNs == nil)
        #expect(run.link.arrivals(byNs: .max / 2).isEmpty)
    }

    @Test func `streams that share a throttle take turns chunk by chunk`() {
        var run = ThrottleRun(bytesPerSecond: 100_000)
        run.come(10_000, of: 1, atMs: 0)
        run.come(3_000, of: 2, atMs: 0)
        run.come(500, of: 3, atMs: 15)
        run.run()
        // Whoever comes goes before the one that has its turn just then.
        #expect(run.arrivals.map(\.flow) == [1, 2, 1, 3, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1])
        #expect(run.ms(ofByte: 10_000, of: 1) == 135)
    }

    @Test func `a late timer delays throttled traffic by no more than its own lateness`() {
        for lateness: Int64 in [0, 3_000_000, 9_999_999, 70_000_000] {
            var run = ThrottleRun(bytesPerSecond: 100_000, latencyMs: 5)
            run.come(100_000, atMs: 0)
            run.run(timerIsLateByNs: lateness)
            #expect(run.byteCount() == 100_000)
            let end = run.ms(ofByte: 100_000) ?? 0
            #expect(end >= 1_005 && end <= 1_005 + Double(lateness) / 1_000_000)
        }
    }

    @Test
    func `a throttle whose rate limit is not a whole number of bytes per interval does not drift`()
    {
        var run = ThrottleRun(bytesPerSecond: 6_125 * 7 + 1)
        run.come(4_287_600, atMs: 0)
        run.run()
        #expect(run.ms(ofByte: 4_287_600) == 100_000)
    }

    @Test(arguments: [
        (1, 256), (25_600, 256), (100_000, 1_000), (1_638_400, 16_384), (nil, 16_384),
    ])
    func `a throttle sends 10 ms of data at a time, but at least 256 bytes and at most 16 KiB`(
        bytesPerSecond: Int?, byteCount: Int
    ) {
        // Each piece goes to another flow.
        var run = ThrottleRun(bytesPerSecond: bytesPerSecond)
        run.come(byteCount + 1, of: 1, atMs: 0)
        run.come(1, of: 2, atMs: 0)
        run.run()
        if bytesPerSecond == nil {
            #expect(run.arrivals.first?.kind == .bytes(byteCount + 1))
        } else {
            #expect(run.arrivals.map(\.flow) == [1, 2, 1])
            #expect(run.arrivals.first?.kind == .bytes(byteCount))
        }
    }

    @Test func `the count of waiting bytes reported to a throttle is a total, not an increment`() {
        var link = ThrottleLink(ThrottleProfile(downKbps: 8), .down, seed: 1)
        let flow = ThrottleFlow(rawValue: 1)
        link.waits(300, of: flow, atNs: 0)
        link.waits(300, of: flow, atNs: 10)
        link.waits(400, of: flow, atNs: 20)
        #expect(link.arrivals(byNs: 256_000_000) == [.init(flow: flow, kind: .bytes(256))])
        link.waits(144, of: flow, atNs: 256_000_000)
        #expect(link.arrivals(byNs: 399_999_999).isEmpty)
        #expect(link.arrivals(byNs: 400_000_000) == [.init(flow: flow, kind: .bytes(144))])
        #expect(link.nextDueNs == nil)
    }

    @Test func `removing a throttled stream leaves its bandwidth to the other streams`() {
        var run = ThrottleRun(bytesPerSecond: 100_000, latencyMs: 500)
        run.come(50_000, of: 1, atMs: 0)
        run.come(1_000, of: 2, atMs: 0)
        run.link.remove(ThrottleFlow(rawValue: 1))
        run.run()
        #expect(run.arrivals == [Arrival(ms: 520, flow: 2, kind: .bytes(1_000))])
        #expect(!run.link.isIdle)
        run.link.remove(ThrottleFlow(rawValue: 2))
        #expect(run.link.isIdle)
    }

    @Test
    func `random throttled streams get all their bytes, in order, no faster than the rate limit`() {
        var generator = SplitMix(seed: 11)
        for _ in 0..<50 {
            let rate = Int.random(in: 500...3_000_000, using: &generator)
            var run = ThrottleRun(
                bytesPerSecond: rate, latencyMs: Int.random(in: 0...100, using: &generator))
            var sums: [Int64: Int] = [:]
            var ms: Int64 = 0
            for _ in 0..<30 {
                ms += Int64.random(in: 0...40, using: &generator)
                let flow = Int64.random(in: 1...4, using: &generator)
                let count = Int.random(in: 1...30_000, using: &generator)
                run.come(count, of: flow, atMs: ms)
                sums[flow, default: 0] += count
            }
            run.run()
            for (flow, sum) in sums { #expect(run.byteCount(of: flow) == sum) }
            let total = sums.values.reduce(0, +)
            let last = run.arrivals.last?.ms ?? 0
            #expect(last + 0.001 >= Double(total) * 1_000 / Double(rate))
            #expect(run.arrivals.map(\.ms) == run.arrivals.map(\.ms).sorted())
            #expect(run.link.nextDueNs == nil)
        }
    }
}
