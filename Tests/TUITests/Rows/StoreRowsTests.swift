import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
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
    func `the exchange count read from a store includes an exchange added by another connection`()
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
