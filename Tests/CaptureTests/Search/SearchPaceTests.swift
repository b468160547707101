import Testing

@testable import Capture

/// Search files rest while there is traffic, the longer the more there is.
@Suite struct `The pace of search files` {
    private let second: Int64 = 1_000_000_000
    private let step = SearchPace.stepNs
    private var pace = SearchPace()

    /// Notes a step before which a second passed, in which so many exchanges were recorded; returns
    /// how long the next one has to wait.
    private mutating func rest(afterExchanges count: Int64) -> Int64 {
        let now = 100 * second
        _ = pace.next(start: now - second - step, end: now - second, exchangeID: 7, recorded: now)
        let end = now + step
        return pace.next(start: now, end: end, exchangeID: 7 + count, recorded: now) - end
    }

    @Test mutating func `little traffic is followed with a thirtieth of a processor`() {
        #expect(rest(afterExchanges: 100) == 29 * step)
        #expect(rest(afterExchanges: SearchPace.followedCountMax) == 29 * step)
    }

    @Test mutating func `heavy traffic has the processor for itself`() {
        #expect(rest(afterExchanges: 30_000) == 299 * step)
    }

    @Test mutating func `a longer step is followed by a longer rest`() {
        let start = 100 * second
        let end = start + 5 * step
        #expect(
            pace.next(start: start, end: end, exchangeID: 1, recorded: start) == end + 145 * step)
    }

    @Test mutating func `when it is quiet they do not rest`() {
        let start = 100 * second
        let end = start + step
        let before = start - SearchPace.quietNs
        #expect(pace.next(start: start, end: end, exchangeID: 90_000, recorded: before) == end)
        #expect(
            pace.next(start: start, end: end, exchangeID: 90_000, recorded: before + 1) > end)
    }

    @Test mutating func `numbers at their ends are no trap`() {
        for id in [Int64.min, -1, 0, Int64.max] {
            for moment in [Int64.min, 0, Int64.max] {
                _ = pace.next(start: moment, end: moment, exchangeID: id, recorded: ~moment)
            }
        }
    }
}
