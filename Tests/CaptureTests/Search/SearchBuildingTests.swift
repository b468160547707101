import Foundation
import ProxydStoreTestSupport
import Testing

@testable import Capture

/// Search files rest while there is traffic, the longer the more there is.
@Suite struct `The pace of search files` {
    private let second: Int64 = 1_000_000_000
    private let step = SearchPace.stepNs
    private var pace = SearchPace()

    /// Notes steps while a number of exchanges is recorded per second, in bursts of limited size;
    /// returns how long the next one has to wait.
    private mutating func rest(afterExchanges count: Int64, burst: Int64 = .max) -> Int64 {
        let burst = min(burst, count)
        var now = 100 * second
        var rest: Int64 = 0
        for recorded in stride(from: burst, through: 2 * count, by: Int(burst)) {
            now += second / (count / burst)
            let end = now + step
            rest = pace.next(start: now, end: end, exchangeID: recorded, recorded: now) - end
        }
        return rest
    }

    @Test
    mutating func `with little traffic, search indexing uses at most a thirtieth of a CPU core`() {
        #expect(rest(afterExchanges: 100) == 29 * step)
        #expect(rest(afterExchanges: SearchPace.followedCountMax) == 29 * step)
    }

    @Test
    mutating func
        `with short bursts of traffic, search indexing uses at most a thirtieth of a CPU core`()
    {
        #expect(rest(afterExchanges: 400, burst: 40) == 29 * step)
    }

    @Test
    mutating func `with heavy traffic, search indexing uses only a three-hundredth of a CPU core`()
    {
        #expect(rest(afterExchanges: 30_000) == 299 * step)
        #expect(rest(afterExchanges: 30_000, burst: 300) == 299 * step)
    }

    @Test mutating func `search indexing pauses longer after a longer step, up to a maximum`() {
        let start = 100 * second
        for (stepNs, rest) in [(5 * step, 145 * step), (2 * second, SearchPace.quietNs)] {
            let end = start + stepNs
            #expect(pace.next(start: start, end: end, exchangeID: 1, recorded: start) == end + rest)
        }
    }

    @Test mutating func `search indexing does not pause when there is no traffic`() {
        let start = 100 * second
        let end = start + step
        let before = start - SearchPace.quietNs
        #expect(pace.next(start: start, end: end, exchangeID: 90_000, recorded: before) == end)
        #expect(
            pace.next(start: start, end: end, exchangeID: 90_000, recorded: before + 1) > end)
    }

    @Test
    mutating func
        `extreme times and exchange numbers cause no overflow in the pacing of search indexing`()
    {
        for id in [Int64.min, -1, 0, Int64.max] {
            for moment in [Int64.min, 0, Int64.max] {
                _ = pace.next(start: moment, end: moment, exchangeID: id, recorded: ~moment)
            }
        }
    }
}

/// What a search file's log has is copied into the file between two commits.
@Suite(.timeLimit(.minutes(10)))
struct SearchLogTests {
    private let searched = SearchedStore()

    /// How far a file has got without its log.
    private func throughID(_ number: Int) throws -> Int64? {
        let copy = searched.store.directory.path + "/copy.sqlite"
        try FileManager.default.copyItem(atPath: searched.files.path(number), toPath: copy)
        return try SearchFile(number, path: copy)?.extent.throughID
    }

    @Test func `after two commits, a search file has the data of both even without its WAL`() throws
    {
        let recorder = try searched.store.recorder()
        for number in 0..<4_100 { recorder.recordSample("/\(number)") }
        recorder.stop()
        let builder = searched.builder(exchangeCountMax: 10_000)
        while builder.step(lastExchangeID: 4_100, isInterrupted: { false }) {}
        #expect(try throughID(1) == 4_000)
        builder.close()
    }

    @Test func `a search file written while a reader uses it is complete without its WAL`()
        throws
    {
        let recorder = try searched.store.recorder()
        for number in 0..<60 { recorder.recordSample("/\(number)") }
        recorder.stop()
        let builder = searched.builder(exchangeCountMax: 40)
        var stepCount = 0
        _ = builder.step(lastExchangeID: 60) {
            stepCount += 1
            return stepCount > 3
        }
        let reader = try #require(try SearchFile(1, path: searched.files.path(1)))
        while builder.step(lastExchangeID: 60, isInterrupted: { false }) {}
        builder.close()
        #expect(try throughID(1) == 40)
        withExtendedLifetime(reader) {}
    }
}
