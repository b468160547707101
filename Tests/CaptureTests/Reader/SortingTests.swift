import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import Capture

@Suite struct `Sorted rows` {
    private static let columns = SortColumn.allCases

    /// The number of the first row: the index file keeps some values apart for each 65,536 numbers,
    /// and there are some on either side of such a bound.
    private static let first: Int64 = 2 * 65_536 - 60

    /// A store of random rows, indexed up to some number, and the rows.
    private func filled(
        _ count: Int64, indexedThrough lag: Int64
    ) throws -> (store: IndexedStore, reader: StoreReader) {
        let store = try IndexedStore()
        try store.execute("PRAGMA application_id = \(Schema.applicationID)")
        try store.execute("PRAGMA user_version = \(Schema.version)")
        var generator = SplitMix(seed: 7)
        let ids = Self.first..<Self.first + count
        try store.insert(ids.map { RandomFilters.row(id: $0, &generator) })
        let builder = store.builder(lagCount: lag)
        while builder.step(runRowCount: 16, lastExchangeID: Self.first + count - 1) {}
        #expect(builder.lastError == nil)
        return (store, try StoreReader(directory: DataDirectory(path: store.directory)))
    }

    /// All rows as sorting in memory gives them.
    private func expected(
        _ rows: [ExchangeRow], _ column: SortColumn, isDescending: Bool
    ) -> [ExchangeID] {
        let keys = rows.map { SortKey($0, column) }
        let valued = keys.filter { $0.value != nil }
            .sorted { $0.isBefore($1, isDescending: isDescending) }
        let others = keys.filter { $0.value == nil }
            .sorted { isDescending ? $0.id > $1.id : $0.id < $1.id }
        return (valued + others).map(\.id)
    }

    /// All places, page by page.
    private func walk(
        _ reader: StoreReader, _ filter: Filter, _ column: SortColumn, isDescending: Bool,
        isBackward: Bool = false, page: Int
    ) throws -> [ExchangeID] {
        var all: [ExchangeID] = []
        var start: SortKey?
        while true {
            let keys = try reader.positions(
                matching: filter, by: column, isDescending: isDescending, from: start,
                isBackward: isBackward, limit: page)
            all += keys.map(\.id)
            start = keys.last
            if keys.count < page { return all }
        }
    }

    @Test(arguments: columns, [true, false])
    func `pages of a sorted list are the same as after sorting all rows in memory`(
        _ column: SortColumn, _ isDescending: Bool
    ) throws {
        let (store, reader) = try filled(150, indexedThrough: 20)
        let rows = try reader.rows(.oldest, limit: 1_000)
        let wanted = expected(rows, column, isDescending: isDescending)
        #expect(
            try walk(reader, .everything, column, isDescending: isDescending, page: 17) == wanted)
        #expect(
            try walk(
                reader, .everything, column, isDescending: isDescending, isBackward: true, page: 23
            ) == wanted.reversed())
        withExtendedLifetime(store) {}
    }

    @Test(arguments: ["status=404", "path~[A-Z]", "host:a duration>1s", "not status=404"])
    func `pages of a sorted and filtered list are the same as after sorting in memory`(
        _ text: String
    ) throws {
        let (store, reader) = try filled(150, indexedThrough: 20)
        let filter = try Filter.parse(text)
        let rows = try reader.rows(matching: filter, .oldest, limit: 1_000)
        for column in [SortColumn.duration, .host, .size, .process] {
            #expect(
                try walk(reader, filter, column, isDescending: true, page: 9)
                    == expected(rows, column, isDescending: true), "\(column)")
        }
        withExtendedLifetime(store) {}
    }

    @Test func `a list sorted without the index has the same order as with it`() throws {
        let (store, reader) = try filled(90, indexedThrough: 90)
        let rows = try reader.rows(.oldest, limit: 1_000)
        #expect(
            try walk(reader, .everything, .duration, isDescending: true, page: 11)
                == expected(rows, .duration, isDescending: true))
        withExtendedLifetime(store) {}
    }

    @Test(arguments: [
        "''", "'['", "'[]'", "'[0,1'", "'0,1]'", "'nonsense'", "'[-1]'", "'[+1]'", "'[1.5]'",
        "'[1024]'", "'[1,,2]'", "'[1,1]'", "'[ 1]'", "'[\"1\"]'", "'[[1]]'", "'[null]'",
        "'{\"a\":1}'", "'[9223372036854775808]'", "1", "x'5bff5d'", "zeroblob(100000)",
    ])
    func `a damaged position list in the index does not change a sorted list`(_ places: String)
        throws
    {
        let (store, reader) = try filled(150, indexedThrough: 20)
        try damageBlocks(of: store, "places = \(places)")
        let rows = try reader.rows(.oldest, limit: 1_000)
        for column in [SortColumn.host, .status] {
            for isDescending in [true, false] {
                #expect(
                    try walk(reader, .everything, column, isDescending: isDescending, page: 17)
                        == expected(rows, column, isDescending: isDescending), "\(column)")
            }
        }
    }

    @Test(arguments: ["-block", "block | (1 << 62)", "'x' || block", "block + 0.5"])
    func `a damaged block number in the index never yields duplicate or nonexistent rows`(
        _ number: String
    ) throws {
        let (store, reader) = try filled(150, indexedThrough: 20)
        try damageBlocks(of: store, "block = \(number)")
        let rows = try reader.rows(.oldest, limit: 1_000)
        for column in [SortColumn.host, .status] {
            let found = try walk(reader, .everything, column, isDescending: true, page: 17)
            #expect(Set(found).count == found.count)
            #expect(Set(found).isSubset(of: rows.map(\.id)))
        }
    }

    private func damageBlocks(of store: IndexedStore, _ change: String) throws {
        for table in ["host_block", "status_block"] {
            try store.damageIndex("UPDATE \(table) SET \(change)")
        }
    }

    @Test(arguments: ["", "status=404", "path~[A-Z]", "host:a duration>1s", "id<1"])
    func `counting with a filter gives the number of matching rows`(_ text: String) throws {
        let (store, reader) = try filled(150, indexedThrough: 20)
        let filter = try Filter.parse(text)
        var told: [Int64] = []
        let count = try reader.count(matching: filter) { told.append($0) }
        #expect(count == Int64(try reader.rows(matching: filter, .oldest, limit: 1_000).count))
        #expect(told == told.sorted())
        withExtendedLifetime(store) {}
    }

    @Test func `filter completion offers the values of a column, the most frequent first`() throws {
        let (store, reader) = try filled(150, indexedThrough: 20)
        let hosts = try reader.rows(.oldest, limit: 1_000).compactMap(\.host)
        let values = try reader.values(of: .host)
        #expect(Set(values) == Set(hosts))
        let counts = values.map { value in hosts.count { $0 == value } }
        #expect(counts == counts.sorted(by: >))
        withExtendedLifetime(store) {}
    }
}
