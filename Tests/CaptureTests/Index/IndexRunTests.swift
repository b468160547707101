import ProxydFilter
import ProxydFilterTestSupport
import Testing

@testable import Capture

/// A step of the index keeps the recorder's thread for as long as it takes.
@Suite struct `A step of the index is short` {
    private static func rows(
        _ ids: ClosedRange<Int64>, _ parameters: (Int64) -> [(name: String, value: String?)]
    ) -> [FilterRow] {
        ids.map { id in
            .with {
                $0.id = id
                $0.parameters = parameters(id)
            }
        }
    }

    /// Where each step ended.
    private static func ends(_ builder: IndexBuilder, through last: Int64) -> [Int64] {
        var ends: [Int64] = []
        while builder.step(runRowCount: 40, lastExchangeID: last) {
            ends.append(builder.indexedThrough)
        }
        return ends
    }

    @Test func `an indexing step takes fewer exchanges if they have many parameters`() throws {
        let store = try IndexedStore()
        try store.insert(
            Self.rows(1...90) { id in
                (0..<1_000).map { (name: "p\($0)", value: "\(id)") }
            })
        let builder = store.builder()
        let ends = Self.ends(builder, through: 90)
        #expect(builder.lastError == nil)
        // Whole exchanges, and at most one more than there is room for.
        let room = Int64(IndexBudget.rowCountMax / 1_000 + 1)
        #expect(ends.first == room)
        #expect(zip(ends, ends.dropFirst()).allSatisfy { $1 - $0 <= room })
        for id in [1, room, room + 1, 90] {
            #expect(try store.find("param.p999=\(id)") == (ids: [id], isIndexed: true))
        }
        #expect(try store.indexed("SELECT count(*) FROM parameter") == 1_000 * ends.last!)
    }

    @Test func `an indexing step ends early if parameter names or values are long`() throws {
        let store = try IndexedStore()
        let long = String(repeating: "n", count: IndexBudget.byteCountMax / 4)
        try store.insert(
            Self.rows(1...60) { id in
                [id % 2 == 0 ? (name: "a\(id)", value: long) : (name: long, value: "\(id)")]
            })
        let builder = store.builder()
        #expect(Self.ends(builder, through: 60).prefix(3) == [4, 8, 12])
        #expect(try store.find("param.a6:n") == (ids: [6], isIndexed: true))
    }

    @Test func `an indexing step ends early if many formerly open exchanges have ended`() throws {
        let store = try IndexedStore()
        try store.insert(
            Self.rows(1...40) { _ in [] }.map { row in
                var row = row
                row.texts[.state] = "active"
                return row
            })
        let builder = store.builder(lagCount: 0)
        #expect(Self.ends(builder, through: 40) == [40])
        #expect(try store.indexed("SELECT count(*) FROM pending") == 40)
        try store.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
            INSERT INTO parameter SELECT id, 'form', i, 'p' || i, 'v' FROM exchange, n;
            UPDATE exchange SET state = 1
            """)
        try store.insert(Self.rows(41...80) { _ in [] })
        #expect(Self.ends(builder, through: 80) == [80])
        let left = try #require(try store.indexed("SELECT count(*) FROM pending"))
        #expect(left == 40 - Int64(IndexBudget.rowCountMax / 1_000 + 1))
        #expect(try store.find("param.p1=v") == (ids: Array(1...40), isIndexed: true))
    }
}
