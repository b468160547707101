import Testing
@testable import proxyship

/// How long a shipper waits for a server that is away.
@Suite struct BackOffTests {
    @Test func `the maximum of the random retry delay doubles with each retry, up to one minute`() {
        var backOff = BackOff()
        var longest: Int64 = 50
        for _ in 0..<40 {
            let delay = backOff.next()
            #expect((longest / 2...longest).contains(delay))
            longest = min(60_000, longest * 2)
        }
        #expect(longest == 60_000)
    }

    @Test func `a successful delivery resets the retry delay to its initial value`() {
        var backOff = BackOff()
        for _ in 0..<9 { _ = backOff.next() }
        backOff.reset()
        let delays = [backOff.next(), backOff.next()]
        #expect((25...50).contains(delays[0]))
        #expect((50...100).contains(delays[1]))
    }

    @Test
    func `retry delays are random, so that a fleet's machines do not retry at the same moment`() {
        let delays = (0..<200).map { _ in
            var backOff = BackOff()
            for _ in 0..<12 { _ = backOff.next() }
            return backOff.next()
        }
        #expect(Set(delays).count > 150)
        #expect(delays.contains { $0 < 40_000 })
        #expect(delays.contains { $0 > 50_000 })
    }
}
