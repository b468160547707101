import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import Capture

@Suite struct `Sums over rows` {
    private static let filters = ["", "status>=400", "path~[a-b]", "host:a", "not status=404"]

    /// A store of random rows, some of them indexed.
    private func filled(_ count: Int64) throws -> (store: IndexedStore, reader: StoreReader) {
        let store = try IndexedStore()
        try store.execute("PRAGMA application_id = \(Schema.applicationID)")
        try store.execute("PRAGMA user_version = \(Schema.version)")
        var generator = SplitMix(seed: 11)
        try store.insert((1...count).map { RandomFilters.row(id: $0, &generator) })
        // Paths with folders, and those of other kinds.
        try store.execute(
            """
            UPDATE exchange SET path = CASE id % 7 WHEN 0 THEN '/a/b/' || id % 3
              WHEN 1 THEN '/a/b/' WHEN 2 THEN '/a/b' WHEN 3 THEN '/a//c' WHEN 4 THEN '*'
              WHEN 5 THEN NULL ELSE '/é/日本/' || id % 2 END
            """)
        let builder = store.builder(lagCount: 20)
        while builder.step(runRowCount: 16, lastExchangeID: count) {}
        #expect(builder.lastError == nil)
        return (store, try StoreReader(directory: DataDirectory(path: store.directory)))
    }

    @Test(arguments: filters)
    func `the totals at each level of the server and path tree are the sums over its exchanges`(
        _ text: String
    ) throws {
        let (store, reader) = try filled(200)
        let filter = try Filter.parse(text)
        let rows = try reader.rows(matching: filter, .oldest, limit: 1_000)
        var places = [TreePath.everything]
        var lookedAt = 0
        while let place = places.popLast() {
            var wanted = Branches()
            for row in rows { wanted.add(row, below: place) }
            let found = try reader.branches(of: place, matching: filter)
            #expect(found == wanted, "\(place)")
            lookedAt += 1
            for name in found.totals.keys {
                switch name {
                case .server(let server): places.append(TreePath(server: server))
                case .folder(let folder):
                    places.append(TreePath(server: place.server, folder: folder))
                case .path: break
                }
            }
        }
        #expect(lookedAt > 5)
        withExtendedLifetime(store) {}
    }

    @Test(arguments: filters)
    func `a summary equals the sums of the rows that match its filter`(_ text: String) throws {
        let (store, reader) = try filled(200)
        let filter = try Filter.parse(text)
        var wanted = ExchangeSummary()
        for row in try reader.rows(matching: filter, .newest, limit: 1_000) { wanted.add(row) }
        let found = try reader.summary(matching: filter)
        #expect(found.slowest.map(\.durationNs) == wanted.slowest.map(\.durationNs))
        #expect(found.statuses == wanted.statuses)
        #expect(found.hosts == wanted.hosts)
        #expect(found.methods == wanted.methods)
        #expect(found.durations == wanted.durations)
        #expect(found.sizes == wanted.sizes)
        #expect(found.all == wanted.all)
        #expect(found.firstStartedAtNs == wanted.firstStartedAtNs)
        withExtendedLifetime(store) {}
    }

    @Test func `computing totals reports progress up to 1 and can be cancelled`() throws {
        let (store, reader) = try filled(200)
        var shares: [Double?] = []
        _ = try reader.branches(of: .everything) { shares.append($1) }
        #expect(shares.last == 1)
        let cancellation = ReadCancellation()
        cancellation.cancel()
        #expect(throws: StoreError.cancelled) {
            try cancellation.run { try reader.summary() }
        }
        withExtendedLifetime(store) {}
    }

    @Test
    func `if a tree level has too many servers or paths, those in excess share a single total`() {
        var branches = Branches()
        var one = BranchTotals()
        one.count = 1
        for index in 0..<(Branches.nameCountMax + 5) {
            branches.add(one, to: .path("/\(index)"))
        }
        branches.add(one, to: .path("/3"))
        #expect(branches.totals.count == Branches.nameCountMax)
        #expect(branches.totals[.path("/3")]?.count == 2)
        #expect(branches.others.count == 5)
        #expect(branches.all.count == Int64(Branches.nameCountMax + 6))
    }

    @Test func `percentiles of a value histogram are within 1 % of the exact value`() {
        var generator = SplitMix(seed: 3)
        var histogram = ValueHistogram()
        #expect(histogram.percentile(0.5) == nil)
        var values: [Int64] = []
        for _ in 0..<5_000 {
            let value = Int64(truncatingIfNeeded: generator.next() >> (generator.next() % 60 + 2))
            values.append(value)
            histogram.add(value)
        }
        values.sort()
        for share in [0.001, 0.1, 0.5, 0.9, 0.99, 1] {
            let rank = max(1, Int((share * Double(values.count)).rounded(.up)))
            let wanted = Double(values[rank - 1])
            let found = Double(histogram.percentile(share) ?? -1)
            #expect(abs(found - wanted) <= wanted * 0.008, "\(share)")
        }
        #expect(histogram.percentile(1) == values.last)
        histogram.add(.max)
        histogram.add(-5)
        #expect(histogram.largest == .max)
        #expect(histogram.least == 0)
        #expect(histogram.sum == .max)
    }
}

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
