import Foundation
import ProxydTestSupport
import Testing

/// WebSockets of a client and a server that others wrote, seen while they are open.
@Suite(.enabled(if: WebSocketTalk.isPossible, "the Python package websockets is not installed"))
struct WebSocketTests {
    @Test(arguments: ["none", "deflate", "small", "fresh"], [false, true])
    func `WebSocket messages of both sides can be listed during the connection and after its end`(
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

/// A client and a server of the package `websockets` that talk through a daemon; see
/// Servers/websocket_talk.py.
final class WebSocketTalk {
    struct Message {
        let direction: String
        let kind: String
        let bytes: Data
        let isFragmented: Bool
    }

    /// Whether what it takes is installed.
    static let isPossible: Bool = {
        let probe = try? Tool.run("/usr/bin/python3", ["-c", "import websockets.legacy"])
        return probe?.status == 0
    }()

    private let service: Service
    private let directory: ScratchFolder

    init(through proxy: Daemon, form: String, tls: TestCertificate?) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/websocket_talk.py").path
        directory = try ScratchFolder()
        var arguments = ["-W", "ignore", script, String(proxy.port), directory.path + "/r", form]
        if let tls { arguments += [tls.certificatePath, tls.keyPath, proxy.certificatePath] }
        service = try Service("/usr/bin/python3", arguments)
    }

    /// What was said so far, in each direction in its order, once all of it has been: `word` says
    /// what of.
    func report(_ word: String) throws -> [Message] {
        let line = try service.readLine()
        let report = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/r"))
        guard line == word,
            let messages = try JSONSerialization.jsonObject(with: report) as? [[Any]]
        else { throw Tool.Failure(description: "no messages: \(line)") }
        return messages.compactMap { parts in
            guard parts.count == 4, let direction = parts[0] as? String,
                let kind = parts[1] as? String, let text = parts[2] as? String,
                let bytes = Data(base64Encoded: text), let isFragmented = parts[3] as? Bool
            else { return nil }
            return Message(
                direction: direction, kind: kind, bytes: bytes, isFragmented: isFragmented)
        }
    }

    /// Has the client close.
    func end() throws { try service.endInput() }
}
