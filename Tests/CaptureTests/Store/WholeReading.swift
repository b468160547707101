import Capture
import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydInterchange
import ProxydExchangeContent
import ProxydStoreTestSupport
import Testing

/// Everything that can be read of a store: what is wrong with one reading says nothing about the
/// next.
struct WholeReading {
    private static let rowCountMax = 20
    private static let filters = [
        "", "method=GET and size>3 and duration<9", "body~hello", "msg:zz", "ws.close>7",
        "ws.count>1 or grpc.status>0 or not sse.data~x",
    ]

    private let reader: StoreReader?

    /// A store that cannot be opened is not read.
    init(_ store: TemporaryStore) { reader = try? store.reader() }

    func run() {
        guard let reader else { return }
        attempt { _ = try reader.exchangeCount() }
        attempt { _ = try reader.lastExchangeID() }
        attempt { _ = try reader.exchangeCount(after: 0) }
        attempt { _ = try reader.deliveryState() }
        attempt { _ = try reader.changes(after: .min, limit: 9) }
        attempt { _ = try reader.integrityCheck() }
        readFiltered(reader)
        for (index, column) in SortColumn.allCases.enumerated() {
            readSorted(reader, column, isDescending: index % 2 == 0)
        }
        attempt { try readEach(reader) }
    }

    private func readFiltered(_ reader: StoreReader) {
        for text in WholeReading.filters {
            guard let filter = try? Filter.parse(text, now: Samples.wallStart) else {
                Issue.record("no filter: \(text)")
                continue
            }
            let direction = text.isEmpty ? PageDirection.newest : .oldest
            attempt {
                _ = try reader.rows(matching: filter, direction, limit: WholeReading.rowCountMax)
            }
            attempt { _ = try reader.count(matching: filter) }
            attempt { _ = try reader.summary(matching: filter) }
            attempt { try readTree(reader, filter) }
        }
    }

    private func readTree(_ reader: StoreReader, _ filter: Filter) throws {
        let servers = try reader.branches(of: .everything, matching: filter)
        for case .server(let name) in servers.totals.keys {
            _ = try reader.branches(of: TreePath(server: name), matching: filter)
            _ = try reader.branches(of: TreePath(server: name, folder: "/"), matching: filter)
        }
    }

    private func readSorted(_ reader: StoreReader, _ column: SortColumn, isDescending: Bool) {
        attempt { _ = try reader.values(of: column) }
        attempt {
            let keys = try reader.positions(by: column, isDescending: isDescending, limit: 2)
            for isBackward in [false, true] {
                _ = try reader.positions(
                    by: column, isDescending: isDescending, from: keys.last,
                    isBackward: isBackward, limit: 9)
            }
        }
    }

    private func readEach(_ reader: StoreReader) throws {
        var har = HARWriter(version: "1")
        var lines = JSONLinesWriter()
        for row in try reader.rows(.newest, limit: WholeReading.rowCountMax) {
            _ = (row.url, row.durationMilliseconds, row.startedAt)
            attempt { _ = try reader.timelines([row.id]) }
            attempt { _ = try reader.parameters(of: row.id) }
            attempt { _ = try reader.annotations(of: row.id) }
            attempt {
                guard let captured = try reader.captured(row) else { return }
                _ = har.bytes(of: captured)
                _ = lines.opening(of: captured)
                try reader.forEachMessagePage(of: row.id, byteCountMax: 99) { page in
                    let messages = page.map { ExportedMessage($0) }
                    _ = har.bytes(of: messages, in: captured)
                    _ = lines.bytes(of: messages, in: captured)
                    return true
                }
            }
            attempt { _ = try reader.lastMessagePosition(of: row.id) }
            for page in [MessagePage.newest, .before(.max), .after(.min), .at(.max)] {
                attempt { _ = try reader.messages(of: row.id, page, limit: 9, byteCountMax: 9) }
            }
            for message in StoredMessage.allCases {
                attempt { _ = try reader.headBytes(of: row.id, message) }
                attempt { try reader.forEachBodyChunk(of: row.id, message) { _ in true } }
            }
        }
    }

    private func attempt(_ body: () throws -> Void) { do { try body() } catch {} }
}
