import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydExchangeContent
import ProxydStoreTestSupport
import Testing

/// Exports of a central store, whose exchanges have names.
struct InterchangeNameTests {
    /// An exchange, its replay and a WebSocket.
    private static func record(into recorder: Recorder) throws {
        let first = recorder.nextExchangeID()
        recorder.record(Samples.complete(first))
        var replay = Samples.complete(recorder.nextExchangeID())
        replay.replayOf = first
        recorder.record(replay)
        recorder.record(
            Samples.socket(
                recorder.nextExchangeID(), [Samples.message(0, .text, .toServer, "hello")]))
        try recorder.flush()
    }

    private func lines(_ store: InterchangeStore) throws -> [UInt8] {
        var writer = JSONLinesWriter()
        var bytes = writer.beginning()
        let reader = NamedReader(try store.store.reader(), "ci-17")
        for row in try reader.rows(.oldest, limit: 100) {
            let captured = try #require(try reader.captured(row))
            bytes += writer.opening(of: captured)
            let messages = try reader.messages(
                of: row.id, .oldest, limit: 10, byteCountMax: 1 << 20)
            bytes += writer.bytes(of: messages.map { ExportedMessage($0) }, in: captured)
            bytes += writer.closing()
        }
        return bytes + writer.ending()
    }

    @Test func `an exchange ID in JSON is a number, or a string if it includes a store name`()
        throws
    {
        var row = try #require(try InterchangeStore(filledBy: Self.record).captured().last?.row)
        row.replayOf = ExchangeID(rawValue: 2)
        #expect(row.jsonMember(named: "id") == .number("3"))
        #expect(row.jsonMember(named: "replay_of") == .number("2"))
        row.storeName = "ci-17"
        #expect(row.jsonMember(named: "id") == .string("ci-17:3"))
        #expect(row.jsonMember(named: "replay_of") == .string("ci-17:2"))
    }

    @Test func `the comment above an exported curl command has the store name and exchange ID`()
        throws
    {
        var captured = try #require(try InterchangeStore(filledBy: Self.record).captured().first)
        captured.row.storeName = "ci-17"
        var writer = CurlWriter()
        let text = String(decoding: writer.opening(of: captured), as: UTF8.self)
        #expect(text.hasPrefix("# ci-17:1 "))
    }

    @Test func `an export of a central store is imported with its messages and replay links`()
        throws
    {
        let bytes = try lines(try InterchangeStore(filledBy: Self.record))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""id":"ci-17:2""#))
        #expect(text.contains(#""replay_of":"ci-17:1""#))
        #expect(text.contains(#""message_of":"ci-17:3""#))
        let entries = try InterchangeReader.entries(of: bytes).map { try $0.get() }
        try #require(entries.count == 3)
        #expect(entries[1].exchange.replayOf?.rawValue == entries[0].sourceID)
        #expect(Set(entries.map(\.sourceID)).count == 3)
        #expect(entries.allSatisfy { ($0.sourceID ?? 0) > 0 })
        #expect(entries[2].messages.count == 1)
    }
}
