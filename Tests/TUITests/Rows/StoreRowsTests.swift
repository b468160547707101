import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydOperations
import ProxydPresentation
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `Rows of a store` {
    /// A store with exchanges in it, and its rows.
    private func filled(_ count: Int64) throws -> (TemporaryFolder, StoreRows) {
        let folder = TemporaryFolder()
        var configuration = RecorderConfiguration()
        configuration.freeSpaceFloorByteCount = 0
        let directory = DataDirectory(path: folder.path)
        let recorder = try Recorder(directory: directory, configuration: configuration)
        for number in 0..<count { recorder.record(update(recorder.nextExchangeID(), number)) }
        recorder.stop()
        return (folder, StoreRows(try StoreReader(directory: directory)))
    }

    private func update(_ id: ExchangeID, _ number: Int64) -> ExchangeUpdate {
        var timeline = Timeline(wallStart: Rows.start, start: 0)
        timeline[.requestHead] = 0
        timeline[.delivered] = (number * 7_919 % 1_000) * 1_000_000
        var update = ExchangeUpdate(id: id, state: .complete, timeline: timeline, isFirst: true)
        update.url = RawURL(
            scheme: "http", host: "h\(number % 5).test", port: 80, origin: Array("/\(number)".utf8))
        update.requestHead = RequestHead(
            method: "GET", target: Array("/".utf8), fields: HeaderFields([]))
        update.responseHead = ResponseHead(
            status: 200, reason: "OK", fields: HeaderFields([]))
        update.requestBody.isComplete = true
        update.responseBody.appended = [UInt8](repeating: 0x61, count: Int(number % 11))
        update.responseBody.byteCount = number % 11
        update.responseBody.isComplete = true
        return update
    }

    /// All rows by walking from page to page.
    private func walk(_ rows: StoreRows, _ order: RowOrder, isBackward: Bool) throws
        -> [ExchangeRow]
    {
        var all: [ExchangeRow] = []
        var anchor: RowRequest.Anchor = isBackward ? .last : .first
        while true {
            let page = try rows.page(
                RowRequest(filter: .everything, order: order, anchor: anchor, count: 30))
            all = isBackward ? page.rows + all : all + page.rows
            guard !page.isEnd, let first = page.rows.first, let last = page.rows.last else {
                return all
            }
            anchor = isBackward ? .before(first) : .after(last)
        }
    }

    @Test(arguments: SortColumn.allCases, [true, false])
    func `paging forward and backward gives the same rows in the same order, for every sort column`(
        _ column: SortColumn, _ isDescending: Bool
    ) throws {
        let (folder, rows) = try filled(200)
        let order = RowOrder(column: column, isDescending: isDescending)
        let forward = try walk(rows, order, isBackward: false)
        #expect(Set(forward.map(\.id)).count == 200)
        #expect(forward.count == 200)
        #expect(try walk(rows, order, isBackward: true) == forward)
        let keys = forward.map { SortKey($0, column) }.filter { $0.value != nil }
        #expect(keys == keys.sorted { $0.isBefore($1, isDescending: isDescending) })
        withExtendedLifetime(folder) {}
    }

    @Test func `paging back in a sorted list gives the previous page again`() throws {
        let (folder, rows) = try filled(200)
        let order = RowOrder(column: .size, isDescending: true)
        func page(_ anchor: RowRequest.Anchor) throws -> [ExchangeRow] {
            try rows.page(
                RowRequest(filter: .everything, order: order, anchor: anchor, count: 20)
            ).rows
        }
        let first = try page(.first)
        let second = try page(.after(try #require(first.last)))
        #expect(try page(.before(try #require(second.first))) == first)
        #expect(try page(.after(try #require(first.last))) == second)
        withExtendedLifetime(folder) {}
    }

    @Test
    func `a store's exchange count includes an exchange added by another database connection`()
        throws
    {
        let (folder, rows) = try filled(3)
        let before = try rows.extent()
        #expect(try rows.extent() == before)
        var configuration = RecorderConfiguration()
        configuration.freeSpaceFloorByteCount = 0
        let recorder = try Recorder(
            directory: DataDirectory(path: folder.path), configuration: configuration)
        recorder.record(update(recorder.nextExchangeID(), 4))
        recorder.stop()
        let after = try rows.extent()
        #expect(after.exchangeCount == 4)
        #expect(after != before)
    }
}

/// Bodies out of a real store.
struct DetailStoreTests {
    /// gzip(1) of "hello\n".
    private let coded: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xE7, 2, 0, 0x20, 0x30,
        0x3A, 0x36, 6, 0, 0, 0,
    ]

    @Test
    func `a stored body can be shown decoded or as received, and a large one is loaded in pieces`()
        throws
    {
        let path = NSTemporaryDirectory() + "detail-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = DataDirectory(path: path)
        let large = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let recorder = try Recorder(directory: directory)
        defer { recorder.stop() }
        var first = DetailSamples.answer("text/plain", coded)
        first.response?.head = ResponseHead(
            status: 200, reason: "OK",
            fields: HeaderFields([
                (name: "Content-Type", value: "text/plain"),
                (name: "Content-Encoding", value: "gzip"),
            ]))
        let second = DetailSamples.answer("application/octet-stream", large)
        let exchanges = [first, second]
        _ = try recorder.wait { recorder.store(exchanges, completion: $0) }

        let rows = StoreRows(try StoreReader(directory: directory))
        let ids = try rows.page(
            RowRequest(filter: .everything, order: .recorded, anchor: .first, count: 10)
        ).rows.map(\.id)
        try #require(ids.count == 2)
        let context = WorkContext(
            rows: rows, exchanges: rows, hostActions: HostActions(), now: 0, isCancelled: { false })
        let text = try #require(try DetailSubject.read(ids[0], again: nil, context)).response
        #expect(text.source.read(from: 0, byteCount: 100) == Array("hello\n".utf8))
        #expect(text.facts.summary(text.source.extent) == "text/plain · gzip, 26 B → 6 B")
        text.load(text.raw, upTo: .max, ids[0], context)
        #expect(text.raw.read(from: 0, byteCount: 100) == coded)

        let body = try #require(try DetailSubject.read(ids[1], again: nil, context)).response
        #expect(body.source.extent.byteCount < large.count)
        body.load(body.source, upTo: .max, ids[1], context)
        #expect(body.source.extent.isComplete)
        #expect(body.source.read(from: 0, byteCount: large.count) == large)
    }
}
