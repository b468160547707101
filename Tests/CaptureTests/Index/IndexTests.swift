import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import Capture

@Suite struct IndexTests {
    private static func rows(_ ids: ClosedRange<Int64>, seed: UInt64 = 1) -> [FilterRow] {
        var generator = SplitMix(seed: seed)
        return ids.map { RandomFilters.row(id: $0, &generator) }
    }

    /// Runs the builder until it has no more to do.
    private static func build(_ builder: IndexBuilder, through last: Int64, run: Int = 16) {
        while builder.step(runRowCount: run, lastExchangeID: last) {}
    }

    /// From some number on: the values of 65,536 of them may be kept apart from those of the next.
    @Test(arguments: [0, 65_436] as [Int64])
    func `filters find the same exchanges with the index as by checking every row`(
        before first: Int64
    ) throws {
        let store = try IndexedStore()
        let rows = Self.rows(first + 1...first + 200)
        try store.insert(rows)
        let builder = store.builder()
        Self.build(builder, through: first + 200)
        #expect(builder.lastError == nil)
        #expect(builder.indexedThrough == first + 176)
        var indexedCount = 0
        for text in Self.filters {
            let found = try store.find(text)
            let filter = try Filter.parse(text, now: 50_000_000_000)
            #expect(found.ids == rows.filter { filter.matches($0) }.map(\.id), "\(text)")
            indexedCount += found.isIndexed ? 1 : 0
        }
        #expect(indexedCount == Self.filters.count - 2)
    }

    private static let filters = [
        "host=a.b", "host:A.B", "host~^a", "host~\"^é\"", "status=404", "status=4xx", "status>=500",
        "duration=1.5s", "duration>100ms", "param.a=10", "param.b.c[1]:A", "param.a=\"\"",
        "param.A~^A\\.", "host=a.b status=404 path:B", "param.a:\"c%\" (status=200 or ~q)",
        "host=a.b or status=404", "not host=a.b",
    ]

    @Test func `an exchange that was active when indexed is found by values that it got later`()
        throws
    {
        let store = try IndexedStore()
        var rows = Self.rows(1...60)
        rows[4].texts[.state] = "active"
        rows[4].numbers[.status] = nil
        try store.insert(rows)
        let builder = store.builder()
        Self.build(builder, through: 60)
        #expect(try store.find("status=418").ids == [])
        try store.execute("UPDATE exchange SET status = 418 WHERE id = 5")
        #expect(try store.find("status=418").ids == [5])
        try store.execute("UPDATE exchange SET state = 1 WHERE id = 5")
        #expect(try store.find("status=418").ids == [5])
        try store.insert(Self.rows(61...100))
        Self.build(builder, through: 100)
        #expect(try store.find("status=418") == (ids: [5], isIndexed: true))
    }

    @Test func `an exchange stored late is found once its late arrival is reported to the index`()
        throws
    {
        let store = try IndexedStore()
        try store.insert(Self.rows(1...60).filter { $0.id != 7 })
        let builder = store.builder()
        Self.build(builder, through: 60)
        try store.insert([
            .with { row in
                row.id = 7
                row.numbers[.status] = 418
            }
        ])
        builder.noteInserted([7])
        #expect(try store.find("status=418").ids == [7])
    }

    @Test func `the index does not find deleted exchanges`() throws {
        let store = try IndexedStore()
        try store.insert(Self.rows(1...100))
        Self.build(store.builder(), through: 100)
        try store.execute("DELETE FROM exchange WHERE id < 50")
        #expect(try store.find("status>0").ids.allSatisfy { $0 >= 50 })
    }

    @Test func `long parameter values are found although the index keeps only their beginning`()
        throws
    {
        let store = try IndexedStore()
        let long = String(repeating: "é", count: 200)
        var rows = Self.rows(1...60)
        rows[2].parameters = [("p", long + "x"), ("p", "short")]
        rows[3].parameters = [("p", long + "y"), ("p", long + "y")]
        try store.insert(rows)
        Self.build(store.builder(), through: 60)
        #expect(try store.find("param.p=\(long)x") == (ids: [3], isIndexed: true))
        #expect(try store.find("param.p:éy") == (ids: [4], isIndexed: true))
        #expect(try store.find("param.p~^é") == (ids: [3, 4], isIndexed: true))
    }

    @Test func `long parameter names are found although the index keeps only their beginning`()
        throws
    {
        let store = try IndexedStore()
        let long = String(repeating: "é", count: 2_000)
        var rows = Self.rows(1...60)
        rows[2].parameters = [(long + "x", "1")]
        rows[3].parameters = [(long + "y", "1"), (long + "y", "2")]
        try store.insert(rows)
        Self.build(store.builder(), through: 60)
        #expect(try store.find("param.\(long)x=1") == (ids: [3], isIndexed: true))
        #expect(try store.find("param.\(long)y:2") == (ids: [4], isIndexed: true))
        let longest = try store.indexed("SELECT max(length(name)) FROM parameter")
        #expect(longest == Int64(IndexSchema.textCharacterCountMax))
    }

    @Test func `the index finds text after a NUL in a parameter value`() throws {
        let store = try IndexedStore()
        var rows = Self.rows(1...60)
        rows[2].parameters = [("p", "a\0needle"), ("p", "short")]
        rows[3].parameters = [("p", "b\0"), ("q\0", "needle")]
        try store.insert(rows)
        // The test's own statements end a text at a NUL.
        try store.execute(
            """
            UPDATE parameter SET value = 'a' || char(0) || 'needle' WHERE value = 'a';
            UPDATE parameter SET value = 'b' || char(0) WHERE value = 'b';
            UPDATE parameter SET name = 'q' || char(0) WHERE name = 'q'
            """)
        Self.build(store.builder(), through: 60)
        #expect(try store.find("param.p:needle") == (ids: [3], isIndexed: true))
        #expect(try store.find("param.p~^a") == (ids: [3], isIndexed: true))
        #expect(try store.find("param.p~^a\\x00n") == (ids: [3], isIndexed: true))
        #expect(try store.find("param.p=b") == (ids: [], isIndexed: true))
        #expect(try store.find("param.q:needle") == (ids: [], isIndexed: true))
    }

    @Test
    func `deleting the index file does not change what filters find, and the file is rebuilt`()
        throws
    {
        let store = try IndexedStore()
        try store.insert(Self.rows(1...100))
        let expected = try store.find("status=404").ids
        let builder = store.builder()
        Self.build(builder, through: 50)
        for suffix in ["", "-wal", "-shm"] { _ = unlink(store.indexPath + suffix) }
        #expect(try store.find("status=404") == (ids: expected, isIndexed: false))
        Self.build(builder, through: 100)
        #expect(try store.find("status=404").ids == expected)
        let next = store.builder()
        Self.build(next, through: 100)
        #expect(try store.find("status=404") == (ids: expected, isIndexed: true))
    }

    @Test func `an index file that belongs to another store is not used and is rebuilt`() throws {
        let store = try IndexedStore()
        try store.insert(Self.rows(1...100))
        let builder = store.builder()
        Self.build(builder, through: 100)
        builder.close()
        // As after someone put another store in the place of this one.
        try store.execute("UPDATE exchange SET started_ns = started_ns + 1, status = 404")
        let found = try store.find("status=404")
        #expect(found.ids.count == 100)
        #expect(!found.isIndexed)
        let next = store.builder()
        Self.build(next, through: 100)
        #expect(try store.find("status=404") == (ids: Array(1...100), isIndexed: true))
    }

    @Test func `a damaged index file is rebuilt`() throws {
        let store = try IndexedStore()
        try store.insert(Self.rows(1...100))
        try Data(repeating: 0x5A, count: 20_000).write(to: URL(filePath: store.indexPath))
        let expected = try store.find("status=404").ids
        let builder = store.builder()
        #expect(!builder.step(runRowCount: 16, lastExchangeID: 100))
        #expect(builder.lastError != nil)
        Self.build(builder, through: 100)
        #expect(try store.find("status=404") == (ids: expected, isIndexed: true))
    }

    @Test(arguments: ["", "[", "[0,1", "nonsense"])
    func `filters still work, without the index, if a position list in the index is damaged`(
        _ places: String
    ) throws {
        let store = try IndexedStore()
        try store.insert(Self.rows(1...100))
        Self.build(store.builder(), through: 100)
        let filters = ["status=404", "host=a.b", "host:A.B"]
        let expected = try filters.map { try store.find($0).ids }
        for table in ["host_block", "status_block"] {
            try store.damageIndex("UPDATE \(table) SET places = '\(places)'")
        }
        for (filter, ids) in zip(filters, expected) {
            #expect(try store.find(filter) == (ids: ids, isIndexed: false), "\(filter)")
        }
    }

    @Test func `building the index in a directory that is not writable fails with an error`() throws
    {
        let builder = IndexBuilder(
            storePath: "/nonexistent/captures.sqlite", directory: "/nonexistent", lagCount: 0)
        for _ in 0..<10 { #expect(!builder.step(runRowCount: 1, lastExchangeID: 100)) }
        #expect(builder.lastError != nil)
    }

    @Test func `the index is not used for values that most exchanges have`() throws {
        let store = try IndexedStore()
        let count = Int64(IndexPlan.candidateCountMax) + 8_000
        try store.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO exchange (id, started_ns, state, status, request_body_bytes,
              request_kept_bytes, response_body_bytes, response_kept_bytes, timeline, head_format,
              flags)
            SELECT i, i, 1, iif(i = 9, 500, 200), 0, 0, 0, 0, x'', 0, 0 FROM n;
            UPDATE store_state SET exchange_count = \(count), last_exchange_id = \(count)
            """)
        Self.build(store.builder(), through: count, run: 4_000)
        #expect(try !store.find("status=200").isIndexed)
        #expect(try store.find("status=200 status=500").isIndexed)
        #expect(try store.find("status=500") == (ids: [9], isIndexed: true))
    }

    @Test func `an open reader finds exchanges that were written after its last query`() throws {
        let store = try IndexedStore()
        // More than a reader looks at without asking.
        let count: Int64 = 6_000
        try store.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO exchange (id, started_ns, state, status, request_body_bytes,
              request_kept_bytes, response_body_bytes, response_kept_bytes, timeline, head_format,
              flags)
            SELECT i, i, 1, iif(i = 9, 500, 200), 0, 0, 0, 0, x'', 0, 0 FROM n;
            UPDATE store_state SET exchange_count = \(count), last_exchange_id = \(count);
            PRAGMA application_id = \(Schema.applicationID);
            PRAGMA user_version = \(Schema.version)
            """)
        let builder = store.builder()
        Self.build(builder, through: count, run: 4_000)
        let reader = try StoreReader(directory: DataDirectory(path: store.directory))
        let filter = try Filter.parse("status=500", now: 0)
        func found(_ direction: PageDirection) throws -> [Int64] {
            try reader.rows(matching: filter, direction, limit: 10).map(\.id.rawValue)
        }
        #expect(try found(.newest) == [9])
        #expect(try found(.oldest) == [9])
        #expect(try reader.count(matching: filter) == 1)
        try store.execute(
            """
            INSERT INTO exchange (id, started_ns, state, status, request_body_bytes,
              request_kept_bytes, response_body_bytes, response_kept_bytes, timeline, head_format,
              flags) VALUES (6001, 1, 1, 500, 0, 0, 0, 0, x'', 0, 0);
            DELETE FROM exchange WHERE id = 9
            """)
        #expect(try found(.newest) == [6001])
        #expect(try reader.count(matching: filter) == 1)
        // Another filter, and the first again.
        let other = try Filter.parse("status=404", now: 0)
        #expect(try reader.rows(matching: other, .newest, limit: 10).isEmpty)
        #expect(try found(.oldest) == [6001])
        // Damage below an answer that is known, and below one that is not, is no one's matter.
        builder.close()
        for suffix in ["", "-wal", "-shm"] { _ = unlink(store.indexPath + suffix) }
        try Data(repeating: 0x5A, count: 20_000).write(to: URL(filePath: store.indexPath))
        #expect(try found(.newest) == [6001])
        #expect(try reader.count(matching: filter) == 1)
    }

    @Test
    func `the upper bound of an index prefix search sorts after every string with that prefix`() {
        #expect(IndexProbe.upperBound(of: "ab") == "ac")
        #expect(IndexProbe.upperBound(of: "a\u{10FFFF}") == "b")
        #expect(IndexProbe.upperBound(of: "\u{D7FF}") == "\u{E000}")
    }
}
