import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `What list and overview say of messages` {
    private func overview(_ exchange: Exchange, _ messages: [MessageRow]) -> DetailPlayer {
        DetailPlayer([exchange], columns: 100, rows: 40, messages: messages)
    }

    @Test func `the Overview counts messages and bytes in each direction and shows the close code`()
    {
        let player = overview(MessageSamples.socket(), MessageSamples.varied)
        #expect(player.text.contains("messages      → 2, "), "\(player.text)")
        #expect(player.text.contains("to the server"))
        #expect(player.text.contains("← 3, 5 MB, and 2 without data to the client"))
        #expect(player.text.contains("1 violating the protocol"))
        #expect(player.text.contains("by the server: 1001 going away “the page was left”"))
    }

    @Test func `the Overview updates its count of messages by reading only the new ones`() {
        let player = overview(
            MessageSamples.socket(state: .active), MessageSamples.many(10_000))
        #expect(player.text.contains("→ 5,000, "))
        let id = ExchangeID(rawValue: 1)
        player.exchanges.messages.add(MessageSamples.many(4, from: 10_000), to: id)
        let former = player.exchanges.messages.pageCounts.count
        player.update(.storeChanged)
        #expect(player.text.contains("→ 5,002, "))
        let read = player.exchanges.messages.pageCounts.dropFirst(former)
        #expect(read.reduce(0, +) == 4, "\(read)")
    }

    @Test func `the Overview shows a count with a plus sign until all messages are counted`() {
        let player = overview(MessageSamples.socket(), MessageSamples.many(10))
        player.heldSlots = [MessageTally.slot]
        player.press(Key("]"))
        player.exchanges.messages.add(
            MessageSamples.many(5, from: 10), to: ExchangeID(rawValue: 1))
        player.update(.storeChanged)
        #expect(player.text.contains("→ 5+, "))
        player.runHeld()
        #expect(player.text.contains("→ 8, "))
    }

    @Test func `the Overview shows the status name and the decoded error message of a gRPC call`() {
        var call = DetailSamples.exchange(
            1, .post, "/shop.Orders/Get",
            [(name: "Content-Type", value: "application/grpc")], "", [], [])
        call.response?.trailers = HeaderFields([
            (name: "grpc-status", value: "5"), (name: "grpc-message", value: "no%20order%1b"),
        ])
        let player = overview(call, [])
        #expect(player.text.contains("grpc status   5 NOT_FOUND: no order\\x1B"))
    }

    @Test(arguments: [80, 120, 200])
    func `the list shows a row's protocol, number of messages and gRPC error status`(_ columns: Int)
    {
        let rows = [
            Rows.row(1) {
                $0.path = "/ws"
                $0.upgradedTo = "websocket"
                $0.messageCount = 1_234
            },
            Rows.row(2) {
                $0.path = "/s.S/M"
                $0.requestContentType = "application/grpc"
                $0.messageCount = 2
                $0.grpcStatus = 5
            },
            Rows.row(3) {
                $0.path = "/sse"
                $0.responseContentType = "text/event-stream"
                $0.messageCount = 1
            },
            Rows.row(4) {
                $0.path = "/s.S/N"
                $0.requestContentType = "application/grpc+proto"
                $0.messageCount = 1
                $0.grpcStatus = 0
            },
        ]
        let player = Player(rows, size: Size(columns: columns, rows: 24))
        if columns == 200 {
            #expect(player.text.contains("/ws  (websocket, 1,234 messages)"))
            #expect(player.text.contains("/s.S/M  NOT_FOUND  (grpc, 2 messages)"))
            #expect(player.text.contains("/sse  (1 event)"))
        } else {
            #expect(player.text.contains("(websocket"))
            #expect(player.text.contains("NOT_FOUND"))
        }
        #expect(player.text.contains("OK  (grpc, 1 message)") == (columns >= 120))
    }
}
