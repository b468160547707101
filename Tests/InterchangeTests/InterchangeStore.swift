import Capture
import Foundation
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydStoreTestSupport
import Testing

/// A store with samples in it, its exports, and stores made of exports.
final class InterchangeStore {
    let store = TemporaryStore()
    private let recorder: Recorder

    init(filledBy fill: (Recorder) throws -> Void) throws {
        recorder = try store.recorder()
        try fill(recorder)
    }

    /// One of each kind.
    convenience init() throws { try self.init(filledBy: InterchangeSamples.record) }

    /// What an export was read as; entries that were refused fail the test.
    convenience init(importing bytes: [UInt8]) throws {
        try self.init { recorder in
            for entry in try InterchangeReader.entries(of: bytes) {
                try InterchangeStore.record(try entry.get(), into: recorder)
            }
        }
    }

    deinit { recorder.stop() }

    /// Everything in the store.
    func captured() throws -> [CapturedExchange] {
        let reader = try store.reader()
        var all: [CapturedExchange] = []
        for row in try reader.rows(.oldest, limit: 100_000) {
            all.append(try #require(try reader.captured(row)))
        }
        return all
    }

    /// An export as it would be in a file.
    func export(
        _ format: some ExchangeWriting, redactor: ExchangeRedactor? = nil
    ) throws -> [UInt8] {
        var format = format
        var bytes = format.beginning()
        let reader = try store.reader()
        for original in try captured() {
            let exchange = redactor?.redacted(original) ?? original
            bytes += format.opening(of: exchange)
            if format.includesMessages(of: exchange) {
                try reader.forEachMessagePage(of: exchange.row.id, byteCountMax: 1 << 20) { page in
                    let messages =
                        redactor?.redacted(page, of: exchange, from: original)
                        ?? page.map { ExportedMessage($0) }
                    bytes += format.bytes(of: messages, in: exchange)
                    return true
                }
            }
            bytes += format.closing()
        }
        return bytes + format.ending()
    }

    /// The entries of a HAR export.
    func harEntries(redactor: ExchangeRedactor? = nil) throws -> [[String: Any]] {
        let bytes = try export(HARWriter(version: "1"), redactor: redactor)
        let document = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        let log = try #require(document?["log"] as? [String: Any])
        return try #require(log["entries"] as? [[String: Any]])
    }

    /// Stores what was read, under the next numbers.
    private static func record(
        _ imported: ImportedExchange, into recorder: Recorder
    ) throws {
        let id = recorder.nextExchangeID()
        let legs = [imported.exchange.client, imported.exchange.server].map { leg in
            leg.map { record -> ConnectionID in
                let id = recorder.nextConnectionID()
                recorder.record(record.renumbered(id))
                return id
            }
        }
        recorder.record(
            imported.update(
                id: id, client: legs[0], server: legs[1], replayOf: imported.exchange.replayOf))
        try recorder.flush()
        let notes = imported.exchange.annotations
        guard notes != Exchange.Annotations() else { return }
        try recorder.annotate(
            AnnotationChange(
                id: id, note: notes.note, addedTags: notes.tags, isPinned: notes.isPinned))
    }
}
