import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

/// Messages out of a real store, those in its table and those that are parts of a body.
@Suite struct `Messages of a store` {
    private let folder = TemporaryFolder()

    private func recorded(
        _ change: (inout ExchangeUpdate) -> Void
    ) throws -> StoreReader {
        let directory = DataDirectory(path: folder.path + "/data")
        let recorder = try Recorder(directory: directory)
        defer { recorder.stop() }
        var update = ExchangeUpdate(
            id: recorder.nextExchangeID(), state: .active, timeline: DetailSamples.timeline,
            isFirst: true)
        update.url = RawURL(
            scheme: "https", host: "api.test", port: 443, origin: Array("/stream".utf8))
        change(&update)
        recorder.record(update)
        try recorder.wait { (done: @escaping @Sendable (Result<Void, StoreError>) -> Void) in
            recorder.flush(completion: done)
        }
        return try StoreReader(directory: directory)
    }

    @Test func `WebSocket messages in a store can be shown and filtered`() throws {
        let reader = try recorded { update in
            update.upgradedTo = "websocket"
            update.messages = (0..<3_000).map { number in
                MessageRecord(
                    position: number, direction: number % 2 == 0 ? .toServer : .toClient,
                    kind: .text, offsetNs: number * 1_000_000, byteCount: 7,
                    content: .bytes(Array("say \(number)".utf8)))
            }
        }
        let player = StorePlayer(reader)
        player.press(.open, ActionID.tabs[DetailTab.messages.rawValue])
        #expect(player.text.contains("say 2999"))
        player.press(.first)
        #expect(player.text.contains("say 0"))
        player.press(.filterMessages)
        player.type("\"say 1234\"")
        player.update(.input(.key(.enter)))
        #expect(player.text.contains("1 match"))
        #expect(player.text.contains("#1,234, last #2,999"))
    }

    @Test func `server-sent events that are stored as parts of a body are shown as messages`()
        throws
    {
        let events = ["data: one\n\n", "data: {\"two\":2}\n\n"]
        let reader = try recorded { update in
            update.responseHead = ResponseHead(
                status: 200, reason: "OK",
                fields: HeaderFields([(name: "Content-Type", value: "text/event-stream")]))
            update.responseBody.appended = Array(events.joined().utf8)
            update.responseBody.byteCount = Int64(update.responseBody.appended.count)
            var start: Int64 = 0
            for (position, event) in events.enumerated() {
                let count = Int64(event.utf8.count)
                update.messages.append(
                    MessageRecord(
                        position: Int64(position), direction: .toClient, kind: .event,
                        offsetNs: 5, byteCount: count, content: .body(start..<start + count)))
                start += count
            }
        }
        let player = StorePlayer(reader)
        player.press(.open, ActionID.tabs[DetailTab.messages.rawValue])
        #expect(player.text.contains("event"))
        #expect(player.text.contains("two"))
        player.press(.previousMessage)
        #expect(player.text.contains("one"))
    }
}
