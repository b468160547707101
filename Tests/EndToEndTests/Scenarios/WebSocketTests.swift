import Foundation
import ProxydTestSupport
import Testing

/// WebSockets of a client and a server that others wrote, seen while they are open.
@Suite(.enabled(if: WebSocketTalk.isPossible, "the Python package websockets is not installed"))
struct WebSocketTests {
    @Test(arguments: ["none", "deflate", "small", "fresh"], [false, true])
    func `WebSocket messages of both sides are stored while the connection is open and afterwards`(
        form: String, isTLS: Bool
    ) throws {
        let certificate = isTLS ? try TestCertificate() : nil
        let proxy = try Daemon(trusting: certificate)
        let talk = try WebSocketTalk(through: proxy, form: form, tls: certificate)
        let open = try talk.report("open")
        let row = try proxy.rows("proto:ws", count: 1, final: false)[0]
        #expect(row.text("state") == "active")
        try expect(try recorded(row, by: proxy, count: open.count), areThoseOf: open)
        try talk.end()
        let all = try talk.report("closed")
        #expect(all.count == open.count + 2)
        let ended = try proxy.row("proto:ws")
        #expect(ended.text("state") == "complete")
        #expect(ended.text("protocol") == "ws")
        try expect(try recorded(ended, by: proxy, count: all.count), areThoseOf: all)
        #expect(ended.int("messages") == all.count { ["text", "binary"].contains($0.kind) })
    }

    /// The messages that were recorded, as soon as there are that many.
    private func recorded(_ row: Row, by proxy: Daemon, count: Int) throws -> [Row] {
        let id = String(row.int("id") ?? 0)
        let messages = try Eventually.value(orFail: "there are not \(count) messages") {
            let lines = try proxy.proxyctl(["messages", id, "--json"]).text.split(separator: "\n")
            let messages = try lines.map { try Row(json: String($0)) }
            return messages.count < count ? nil : messages
        }
        #expect(messages.map { $0.int("position") } == (0..<messages.count).map { $0 })
        return messages
    }

    private func expect(_ rows: [Row], areThoseOf sent: [WebSocketTalk.Message]) throws {
        for direction in ["to_server", "to_client"] {
            let rows = rows.filter { $0.text("direction") == direction }
            let sent = sent.filter { $0.direction == direction }
            #expect(rows.map { $0.text("kind") } == sent.map(\.kind), "\(direction)")
            for (row, message) in zip(rows, sent) {
                let place = "\(direction) \(row.int("position") ?? -1)"
                let isCut = message.bytes.count > 1 << 20
                #expect(row.bytes == message.bytes.prefix(1 << 20), "\(place)")
                #expect(row.int("bytes") == message.bytes.count, "\(place)")
                #expect((row.int("cut") == 1) == isCut, "\(place)")
                #expect((row.int("fragmented") == 1) == message.isFragmented, "\(place)")
                #expect(row.text("problem") == nil, "\(place)")
            }
        }
    }
}

extension Row {
    /// What a message says.
    var bytes: Data? {
        if let code = int("code"), let reason = text("reason") {
            return Data([UInt8(code >> 8), UInt8(code & 0xFF)]) + Data(reason.utf8)
        }
        if let text = text("text") { return Data(text.utf8) }
        return text("base64").flatMap { Data(base64Encoded: $0) }
    }
}
