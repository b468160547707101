import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@testable import Capture

/// One corpus of filters and exchanges: a store that recorded the exchanges finds those that the
/// filter passes on the messages themselves.
@Suite struct FilterCorpusTests {
    private static let now = Samples.wallStart + 600_000_000_000

    @Test func `a filter matches the same exchanges in a store as among live messages`() throws {
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
