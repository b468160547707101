import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import Capture

/// The compiled form and the predicate must mean the same, whatever the filter and the rows.
@Suite struct FilterAgreementTests {
    @Test(arguments: 0..<8)
    func `filtering in SQL and then in memory finds the same rows as filtering only in memory`(
        seed: Int
    ) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let rows = (1...80).map { RandomFilters.row(id: Int64($0), &generator) }
        let store = try FilterStore(rows)
        var foundCount = 0
        for _ in 0..<150 {
            let text = RandomFilters.filter(depth: 3, &generator)
            let filter = try Filter.parse(text, now: 50_000_000_000)
            let expected = store.idsByPredicate(matching: filter)
            let found = try store.ids(matching: filter)
            #expect(found == expected, "\(text)")
            if !expected.isEmpty, expected.count < rows.count { foundCount += 1 }
        }
        // Filters that tell rows apart must not be the exception, or nothing is proved.
        #expect(foundCount > 50)
    }

    @Test func `a filter that SQL can evaluate completely is not evaluated again in memory`() throws
    {
        let texts = [
            "word", "host:a", "host=a", "not host:a", "status=404", "status>=400 or duration>1s",
            "param.user=alice", "tag:x", "note:y", "state=failed", "~s", "~q", "~marked", "~c 200",
            "pinned:yes",
            "process:curl", "client:127", "rule=a", "not rule:b", "time>-5m",
            "size<10k (type:json or not url:z)", "~a",
        ]
        for text in texts { #expect(try Filter.parse(text).compile().residual == nil, "\(text)") }
    }

    @Test func `a filter is evaluated again in memory only if SQL cannot evaluate all of it`()
        throws
    {
        for text in [
            "path~x", "header.A:b", "body:x", "~u x", "not reqbody=1", "resjson.a=1", "rule~x",
        ] {
            #expect(try Filter.parse("host=a \(text)").compile().residual != nil, "\(text)")
        }
        let compiled = try Filter.parse("host=a body:x").compile()
        #expect(compiled.sqlCondition.contains("lower(exchange.host) IN (?, ?)"))
    }

    @Test func `very long and deeply nested filters compile and run`() throws {
        let store = try FilterStore([FilterRow()])
        for joiner in [" ", " or "] {
            let words = Array(repeating: "type:a", count: 240).joined(separator: joiner)
            #expect(try store.ids(matching: Filter.parse(words)).isEmpty)
        }
        let nested = String(repeating: "!(", count: 20) + "zz" + String(repeating: ")", count: 20)
        #expect(try store.ids(matching: Filter.parse(nested)).isEmpty)
    }
}

/// One corpus of filters and exchanges: a store that recorded the exchanges finds those that the
/// filter passes on the messages themselves.
@Suite struct FilterCorpusTests {
    private static let now = Samples.wallStart + 600_000_000_000

    @Test func `a filter finds the same exchanges in a store as it matches among live ones`() throws
    {
        let store = TemporaryStore()
        let recorder = try store.recorder()
        defer { recorder.stop() }
        try FilterCorpus.record(into: recorder)
        let reader = try store.reader()
        var (filterCount, tellingCount) = (0, 0)
        for text in FilterCorpus.filters {
            // Not every field takes every operator and value.
            guard let filter = try? Filter.parse(text, now: Self.now, timeZone: .utc) else {
                continue
            }
            for (tested, name) in [(filter, text), (try Self.negated(text), "not \(text)")] {
                let live = FilterCorpus.subjects.filter { tested.matches($0) }
                    .map(\.update.id.rawValue)
                let found = try reader.rows(matching: tested, .oldest, limit: 1_000)
                    .map(\.id.rawValue)
                #expect(found == live, "\(name)")
                filterCount += 1
                if !live.isEmpty, live.count < FilterCorpus.subjects.count { tellingCount += 1 }
            }
        }
        #expect(filterCount > 1_500)
        #expect(tellingCount > 700)
    }

    private static func negated(_ text: String) throws -> Filter {
        try Filter.parse("not (\(text))", now: now, timeZone: .utc)
    }
}
