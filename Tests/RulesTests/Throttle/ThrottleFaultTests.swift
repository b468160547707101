import ProxydHTTPModel
import Testing

@testable import ProxydRules

@Suite struct ThrottleFaultTests {
    private func run(
        _ profile: ThrottleProfile, flowCount: Int64 = 1, byteCount: Int, seed: UInt64 = 7
    ) -> ThrottleRun {
        var run = ThrottleRun(ThrottleLink(profile, .down, seed: seed))
        for flow in 1...flowCount { run.come(byteCount, of: flow, atMs: 0) }
        run.run()
        return run
    }

    @Test func `stalls of a throttle delay some chunks of each stream by at most 200 ms`() throws {
        let profile = ThrottleProfile(downKbps: 800, latencyMs: 60, stallPercent: 20)
        let stalled = run(profile, flowCount: 2, byteCount: 40_000)
        let smooth = run(
            ThrottleProfile(downKbps: 800, latencyMs: 60), flowCount: 2, byteCount: 40_000)
        for flow: Int64 in [1, 2] {
            #expect(stalled.byteCount(of: flow) == 40_000)
            var waits = 0
            for number in stride(from: 1_000, through: 40_000, by: 1_000) {
                let ms = try #require(stalled.ms(ofByte: number, of: flow))
                let before = try #require(smooth.ms(ofByte: number, of: flow))
                // Some pieces come in time, and none is later than a stall of 200 ms makes it.
                #expect(ms >= before && ms <= before + 200)
                if ms > before { waits += 1 }
            }
            #expect(waits > 0 && waits < 40)
        }
    }

    @Test func `a stall of a throttle lasts two round trips, but at least 200 ms`() {
        #expect(ThrottleProfile(latencyMs: 60).stallNs == 200_000_000)
        #expect(ThrottleProfile(latencyMs: 400).stallNs == 800_000_000)
        let all = run(ThrottleProfile(latencyMs: 400, stallPercent: 100), byteCount: 10)
        #expect(all.arrivals.map(\.ms) == [1_000])
    }

    @Test func `a throttle with the same seed repeats its stalls and failures exactly`() {
        let profile = ThrottleProfile(downKbps: 800, stallPercent: 30, failPer10k: 5)
        let first = run(profile, flowCount: 3, byteCount: 60_000)
        #expect(first.arrivals == run(profile, flowCount: 3, byteCount: 60_000).arrivals)
        #expect(first.arrivals != run(profile, flowCount: 3, byteCount: 60_000, seed: 8).arrivals)
    }

    @Test func `the byte at which a throttled stream fails does not depend on the chunk size`() {
        let profile = ThrottleProfile(failPer10k: 10)
        let whole = run(profile, byteCount: 10_000_000)
        var pieces = ThrottleRun(ThrottleLink(profile, .down, seed: 7))
        for _ in 0..<1_000 { pieces.come(1_000, atMs: 0) }
        pieces.run()
        #expect(whole.arrivals.last?.kind == .failure)
        #expect(pieces.arrivals.last?.kind == .failure)
        #expect(whole.byteCount() == pieces.byteCount())
    }

    @Test func `the share of throttled streams that fail follows the fail_per_10k setting`() {
        let flows = run(ThrottleProfile(failPer10k: 25), flowCount: 2_000, byteCount: 10_240)
        let failed = flows.arrivals.count { $0.kind == .failure }
        #expect((400...600).contains(failed))
        let longer = run(ThrottleProfile(failPer10k: 25), flowCount: 2_000, byteCount: 20_480)
        // 1 − 0.75², of 2,000.
        #expect((775...975).contains(longer.arrivals.count { $0.kind == .failure }))
    }

    @Test func `a throttle with a failure rate of 100 percent lets no byte through`() {
        let all = run(ThrottleProfile(failPer10k: 100), flowCount: 5, byteCount: 1)
        #expect(all.arrivals.map(\.kind) == Array(repeating: .failure, count: 5))
        let wild = run(ThrottleProfile(stallPercent: -3, failPer10k: .nan), byteCount: 1)
        #expect(wild.arrivals.map(\.kind) == [.bytes(1)])
    }

    @Test func `a throttle with cut_after closes a stream after exactly that number of bytes`() {
        let profile = ThrottleProfile(downKbps: 80, latencyMs: 20, cutAfter: 1_000)
        let long = run(profile, byteCount: 5_000)
        #expect(long.byteCount() == 1_000)
        #expect(long.arrivals.last == .init(ms: 110, flow: 1, kind: .cut))
        // What has no more bytes is whole.
        #expect(run(profile, byteCount: 1_000).arrivals.allSatisfy { $0.kind != .cut })
        let none = run(ThrottleProfile(cutAfter: 0), byteCount: 1)
        #expect(none.arrivals.map(\.kind) == [.cut])
    }

    @Test func `bytes added to a throttled stream that has ended are not delivered`() {
        var over = run(ThrottleProfile(cutAfter: 0), byteCount: 1)
        over.come(5_000, atMs: 10)
        #expect(over.link.nextDueNs == nil)
    }

    @Test
    func `the number of bytes after which a throttle reset or closed a connection is recorded`() {
        let source = ThrottleSource(rule: "bad", phase: .response)
        #expect(
            source.applied(.failure, afterByteCount: 5_120, .down)
                == AppliedRule(
                    rule: "bad", phase: .response, outcome: "blocked",
                    detail: "reset after 5120 bytes to the client"))
        #expect(
            source.applied(.cut, afterByteCount: 0, .up).detail
                == "closed after 0 bytes to the server")
    }
}
