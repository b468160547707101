internal import Capture
internal import Foundation
internal import FuzzSupport
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydInterchange

/// Everything that is read of a store by lists, pages, trees and exports.
struct WholeReading {
    private static let rowCountMax = 20

    private let reader: StoreReader

    init(_ reader: StoreReader) { self.reader = reader }

    /// Each reading is tried: what is wrong with one says nothing about the next.
    func run() {
        attempt { () throws(StoreError) in _ = try reader.exchangeCount() }
        attempt { () throws(StoreError) in _ = try reader.lastExchangeID() }
        attempt(overviews)
        attempt(exports)
        for text in ["method == GET and size > 3", "body ~ hello", "header.x-a == b or tag == x"] {
            guard let filter = try? Filter.parse(text, now: 0, timeZone: .utc) else { continue }
            attempt { () throws(StoreError) in
                _ = try reader.rows(
                    matching: filter, .oldest, limit: WholeReading.rowCountMax)
            }
        }
    }

    private func overviews() throws(StoreError) {
        attempt { () throws(StoreError) in _ = try reader.summary() }
        attempt { () throws(StoreError) in _ = try reader.integrityCheck() }
        for column in SortColumn.allCases {
            attempt { () throws(StoreError) in _ = try reader.values(of: column) }
            attempt { () throws(StoreError) in
                _ = try reader.positions(
                    by: column, isDescending: true, limit: WholeReading.rowCountMax)
            }
        }
    }

    private func exports() throws(StoreError) {
        var har = HARWriter(version: "1")
        var lines = JSONLinesWriter()
        for row in try reader.rows(.newest, limit: WholeReading.rowCountMax) {
            attempt { () throws(StoreError) in _ = try reader.timelines([row.id]) }
            attempt { () throws(StoreError) in _ = try reader.parameters(of: row.id) }
            attempt { () throws(StoreError) in _ = try reader.annotations(of: row.id) }
            attempt { () throws(StoreError) in
                guard let captured = try reader.captured(row) else { return }
                _ = har.bytes(of: captured)
                _ = lines.bytes(of: captured)
            }
            for message in [StoredMessage.request, .response] {
                attempt { () throws(StoreError) in
                    _ = try reader.headBytes(of: row.id, message)
                }
            }
        }
    }

    private func attempt(_ body: () throws(StoreError) -> Void) {
        // A store's fault is said; that nothing else happens is what is tried here.
        do throws(StoreError) { try body() } catch { _ = error.description }
    }
}
