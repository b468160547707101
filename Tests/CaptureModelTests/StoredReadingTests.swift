import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// What any store's reader offers besides its own reads.
struct StoredReadingTests {
    private let store = TemporaryStore()

    /// Stores exchanges and reads them.
    private func reader(_ exchanges: [Exchange]) throws -> StoreReader {
        let recorder = try store.recorder()
        _ = try recorder.wait { recorder.store(exchanges, completion: $0) }
        recorder.stop()
        return try store.reader()
    }

    // MARK: Everything of an exchange

    @Test func `a stored exchange is read with its list row, both bodies and its annotations`()
        throws
    {
        var pinned = Exchange.sample(1, "/a", method: "POST", body: "out", requestBody: "in")
        pinned.annotations.isPinned = true
        let reader = try reader([pinned])
        let row = try #require(try reader.row(ExchangeID(rawValue: 1)))
        let captured = try #require(try reader.captured(row))
        #expect(captured.row == row && captured.malformedHead == nil && captured.leftOut.isEmpty)
        #expect(captured.exchange.request.body.kept == Array("in".utf8))
        #expect(captured.exchange.response?.body.kept == Array("out".utf8))
        #expect(captured.exchange.annotations.isPinned)
    }

    @Test(arguments: [1, (16 << 20) + 1])
    func `a stored exchange is read with its whole request body, even above 16 MiB`(
        byteCount: Int
    ) throws {
        var exchange = Exchange.sample(1, method: "PUT")
        var bytes = [UInt8](repeating: 0x61, count: byteCount)
        bytes[byteCount - 1] = 0x7A
        exchange.request.body = Body(bytes)
        let reader = try reader([exchange])
        let row = try #require(try reader.row(ExchangeID(rawValue: 1)))
        let body = try #require(try reader.captured(row)).exchange.request.body
        #expect(body.kept.count == byteCount && body.kept.last == 0x7A && !body.isTruncated)
    }

    @Test func `a stored request head that cannot be parsed is read as its raw bytes`() throws {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        var update = ExchangeUpdate(
            id: id, state: .failed, timeline: Samples.timeline(), isFirst: true)
        update.malformedHead = Array("GET /\u{1}\r\n".utf8)
        recorder.record(update)
        recorder.stop()
        let reader = try store.reader()
        let row = try #require(try reader.row(id))
        #expect(row.method == nil && row.url == nil)
        #expect(try reader.captured(row)?.malformedHead == Array("GET /\u{1}\r\n".utf8))
    }

    @Test func `reading a listed exchange that has since been deleted returns nil`() throws {
        let reader = try reader([.sample(1)])
        let row = try #require(try reader.row(ExchangeID(rawValue: 1)))
        let recorder = try store.recorder()
        #expect(try recorder.clear(.all) == 1)
        recorder.stop()
        #expect(try reader.captured(row) == nil)
        #expect(try reader.row(row.id) == nil)
    }

    // MARK: Pages of messages

    /// An exchange with messages of a length each.
    private func messages(_ count: Int, byteCount: Int) throws -> StoreReader {
        var configuration = RecorderConfiguration.forTests
        // All of them are one update, of which nothing may be dropped.
        configuration.queueByteCountMax = 1 << 30
        let recorder = try store.recorder(configuration)
        let id = recorder.nextExchangeID()
        var update = Samples.complete(id, "/")
        update.messages = (0..<Int64(count)).map { position in
            MessageRecord(
                position: position, direction: .toClient, kind: .text,
                byteCount: Int64(byteCount),
                content: .bytes([UInt8](repeating: UInt8(position % 251), count: byteCount)))
        }
        recorder.record(update)
        recorder.stop()
        return try store.reader()
    }

    @Test
    func `pages of messages grow while the messages are short and stay small while they are long`()
        throws
    {
        let id = ExchangeID(rawValue: 1)
        for (count, byteCount, sizes) in [
            (400, 8, [16, 64, 256, 64]), (100, 400_000, [16, 16, 16, 16, 16, 16, 4]), (0, 0, []),
            (16, 8, [16]),
        ] {
            let store = StoredReadingTests()
            let reader = try store.messages(count, byteCount: byteCount)
            var seen: [Int] = []
            var positions: [Int64] = []
            let last = try reader.forEachMessagePage(of: id, byteCountMax: .max) {
                (page) throws(StoreError) in
                seen.append(page.count)
                positions += page.map(\.position)
                return true
            }
            #expect(seen == sizes, "\(byteCount)")
            #expect(positions == Array(0..<Int64(count)) && last == Int64(count) - 1)
        }
    }

    @Test func `messages after a position are read page by page until the receiver stops`() throws {
        let reader = try messages(100, byteCount: 10)
        let id = ExchangeID(rawValue: 1)
        var positions: [Int64] = []
        let last = try reader.forEachMessagePage(of: id, after: 9, byteCountMax: 3) {
            (page) throws(StoreError) in
            #expect(page.allSatisfy { $0.bytes.count == 3 && $0.byteCount == 10 })
            positions += page.map(\.position)
            return false
        }
        #expect(positions == Array(10..<26) && last == 25)
        #expect(
            try reader.forEachMessagePage(of: id, after: 99, byteCountMax: 1) {
                (_) throws(StoreError) in
                Issue.record("there are none")
                return true
            } == 99)
    }

    // MARK: The end of a list

    @Test
    func `the end of a list is fixed at its newest exchange, so that later ones are excluded`()
        throws
    {
        let reader = try reader((1...4).map { .sample($0) })
        let end = try ListEnd(of: reader)
        #expect(end.position == 4)
        #expect(try reader.rows(.oldest, limit: 9).allSatisfy(end.includes))
        let recorder = try store.recorder()
        recorder.recordSample()
        recorder.stop()
        let later = try #require(try reader.rows(.newest, limit: 1).first)
        #expect(try !end.includes(later) && ListEnd(of: reader).includes(later))
    }

    @Test func `the end of an empty store's list excludes exchanges that are stored later`() throws
    {
        let end = try ListEnd(of: try reader([]))
        #expect(end.position == 0 && !end.includes(Rows.row(1)))
        #expect(end.share(through: Rows.row(1), from: 1) == 1)
    }

    @Test
    func `in a central store, the end of a list is fixed by its newest exchange's start time`()
        throws
    {
        let reader = NamedReader(try reader([.sample(1), .sample(2)]), "ci-1")
        let end = try ListEnd(of: reader)
        let row = try #require(try reader.row(ExchangeID(rawValue: 2)))
        #expect(end.position == row.startedAtNs && end.includes(row))
    }

    @Test(arguments: [
        (Int64(1), Int64(1), 0.1), (1, 5, 0.5), (1, 10, 1), (6, 6, 0.2), (1, 99, 1), (9, 1, 0),
        (11, 11, 1),
    ])
    func `the progress through a list is a number from 0 to 1`(
        first: Int64, place: Int64, share: Double
    ) throws {
        let reader = try reader((1...10).map { .sample($0) })
        #expect(try ListEnd(of: reader).share(through: Rows.row(place), from: first) == share)
    }

    @Test func `computing the progress through a list does not overflow for extreme positions`()
        throws
    {
        let end = try ListEnd(of: try reader([.sample(1)]))
        let shares = [Int64.min, -1, 0, .max].map { end.share(through: Rows.row($0), from: .min) }
        #expect(shares.allSatisfy { (0...1).contains($0) })
    }

    // MARK: Shorter forms

    @Test func `store reads called without a filter or progress closure use the defaults`()
        throws
    {
        let reader = try reader([.sample(1, "/a"), .sample(2, "/b"), .sample(3, "/a")])
        let filter = try Filter.parse("path=/a", now: 0)
        #expect(try reader.rows(matching: filter, .oldest, limit: 9).map(\.number) == [1, 3])
        #expect(try reader.rows(.newest, limit: 2).map(\.number) == [3, 2])
        #expect(try reader.count(matching: filter) == 2)
        #expect(try reader.summary().all.count == 3)
        #expect(try reader.summary(matching: filter).all.count == 2)
        let sorted = try reader.positions(by: .path, isDescending: true, limit: 9)
        #expect(try reader.rows(sorted.map(\.id)).map(\.path) == ["/b", "/a", "/a"])
        let servers = try reader.branches(of: .everything, matching: filter)
        #expect(servers == (try reader.branches(of: .everything, matching: filter) { _, _ in }))
        #expect(reader.isOrderedByNumber)
        #expect(try reader.exchange(ExchangeID(rawValue: 9)) == nil)
        #expect(
            try reader.exchange(ExchangeID(rawValue: 2))?.request.url?.description
                == "http://api.test/b")
    }
}

/// Where pages of rows and messages start, and in which direction they go.
struct PagesTests {
    @Test
    func `pages that start at the newest or before a position run backward, all others forward`() {
        let id = ExchangeID(rawValue: 1)
        let pages: [PageDirection] = [.newest, .oldest, .before(id), .after(id)]
        #expect(pages.map(\.isAscending) == [false, true, false, true])
        let messages: [MessagePage] = [.newest, .oldest, .before(1), .after(1), .at(1)]
        #expect(messages.map(\.isAscending) == [false, true, false, true, true])
    }

    @Test func `a tree path that has a folder but no server denotes the root above all servers`() {
        #expect(TreePath(folder: "/a/") == .everything)
        let server = ServerName(scheme: "http", host: "a", port: 80)
        #expect(TreePath(server: server, folder: "/a/") != TreePath(server: server))
    }

    @Test
    func `exchanges are ordered by number in a local store and by start time in a central store`() {
        var row = Rows.row(7)
        #expect(row.position == 7)
        row.storeName = "ci-1"
        #expect(row.position == 1_007)
    }
}
