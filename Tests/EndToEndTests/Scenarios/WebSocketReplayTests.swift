import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl replay` of a WebSocket between a client and a server that others wrote.
@Suite(
    .enabled(if: WebSocketTalk.isPossible, "the Python package websockets is not installed"),
    .timeLimit(.minutes(10)))
struct WebSocketReplayTests {
    /// The only exchange that is no replay, once it is over.
    private func recorded(by proxy: Daemon) throws -> String {
        String(try #require(try proxy.row("proto:ws").int("id")))
    }

    /// The row of a replay, and the messages in it of one direction.
    private func replayed(
        _ id: String, by proxy: Daemon
    ) throws -> (row: Row, messages: (String) throws -> [[String: String]]) {
        let row = try #require(try proxy.rows("proto:ws", count: 2).last)
        #expect(row.int("replay_of") == Int(id))
        return (row, { try said($0, in: row.int("id"), by: proxy) })
    }

    /// Kinds and contents of the messages of one direction.
    private func said(
        _ direction: String, in id: Int?, by proxy: Daemon
    ) throws -> [[String: String]] {
        let lines = try proxy.proxyctl(["messages", String(id ?? 0), "--json"]).text
        return try lines.split(separator: "\n").map { try Row(json: String($0)) }
            .filter { $0.text("direction") == direction }
            .filter { ["text", "binary", "close"].contains($0.text("kind")) }
            .map { row in
                ["kind", "text", "base64", "code", "reason"].reduce(into: [:]) { parts, key in
                    parts[key] = row.text(key) ?? row.int(key).map(String.init)
                }
            }
    }

    @Test(arguments: ["none", "deflate"], [[], ["--pace", "recorded"]])
    func `a WebSocket replay sends the client's messages again, byte for byte`(
        form: String, pace: [String]
    ) throws {
        let proxy = try Daemon()
        let room = try WebSocketRoom(through: proxy, form: form)
        let first = try room.next()
        #expect(first.heard.count == 7)
        #expect(first.code == 3_000)
        let id = try recorded(by: proxy)
        let outcome = try proxy.proxyctl(["replay", id, "--json"] + pace)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let second = try room.next()
        #expect(second.heard.map(\.kind) == first.heard.map(\.kind))
        #expect(second.heard.map(\.bytes) == first.heard.map(\.bytes))
        #expect(second.code == 3_000)
        // The client waits for what answered these messages before it goes on.
        if pace.isEmpty {
            #expect(!second.heard.prefix(4).contains { $0.wasFollowedAtOnce })
        }
        let report = try Row(json: outcome.text)
        #expect(report.row("replay")?.int("sent") == 7)
        #expect(report.row("replay")?.int("received") == 7)
        #expect(report.object["mismatch"] as? Bool == false)
        let replay = try replayed(id, by: proxy)
        #expect(replay.row.text("state") == "complete")
        #expect(replay.row.int("status") == 101)
        for direction in ["to_server", "to_client"] {
            #expect(
                try replay.messages(direction) == said(direction, in: Int(id), by: proxy),
                "\(direction)")
        }
    }

    @Test
    func `an interactive WebSocket replay sends typed lines and prints the server's messages`()
        throws
    {
        let proxy = try Daemon()
        let room = try WebSocketRoom(through: proxy)
        _ = try room.next()
        let id = try recorded(by: proxy)
        let talk = try Service(
            try Tool.built("proxyctl"),
            ["--data-dir", proxy.directory, "replay", id, "--interactive", "--json"])
        func heard() throws -> String? { try Row(json: talk.readLine()).text("text") }
        #expect(try heard() == "welcome to /room?a=1")
        for line in ["hello", "\u{1B}[31mred", ""] {
            try talk.write(line + "\n")
            #expect(try heard() == line)
        }
        try talk.write("quiet, and no line end")
        try talk.endInput()
        let close = try Row(json: talk.readLine())
        #expect(close.int("code") == 1_000)
        #expect(talk.waitForExit() == 0, "\(talk.errors)")
        let (lines, code) = try room.next()
        #expect(
            lines.map { String(decoding: $0.bytes, as: UTF8.self) }
                == ["hello", "\u{1B}[31mred", "", "quiet, and no line end"])
        #expect(code == 1_000)
        let replay = try replayed(id, by: proxy)
        #expect(try replay.messages("to_server").count == 5)
    }

    @Test
    func `an interactive WebSocket replay ends when the server closes, and reports the close code`()
        throws
    {
        let proxy = try Daemon()
        let room = try WebSocketRoom(through: proxy)
        _ = try room.next()
        let id = try recorded(by: proxy)
        let outcome = try Tool.run(
            try Tool.built("proxyctl"),
            ["--data-dir", proxy.directory, "replay", id, "--interactive", "--duration", "60"],
            input: Data([0xFF, 0xFE, 0x0A] + Array("bye\n".utf8)))
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("welcome to /room?a=1"))
        #expect(outcome.text.contains("4001"))
        #expect(outcome.errors.contains("4001"))
        #expect(outcome.errors.contains("was not sent because it is not UTF-8"))
        let (lines, code) = try room.next()
        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["bye"])
        #expect(code == 4_001)
    }

    @Test func `proxyctl replay rejects WebSocket options for an exchange that is not a WebSocket`()
        throws
    {
        let proxy = try Daemon()
        let origin = try ReplayOrigin()
        try proxy.curl("http://\(origin.authority)/")
        let id = String(try #require(try proxy.row().int("id")))
        for option in [["--interactive"], ["--pace", "answers"]] {
            let outcome = try proxy.proxyctl(["replay", id] + option)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("is not a WebSocket"))
        }
    }
}

/// A server of the package `websockets` that tells what it heard, and a client that has talked to
/// it through a daemon; see Servers/websocket_room.py.
final class WebSocketRoom {
    /// A message that the server got.
    struct Heard: Equatable {
        let kind: String
        let bytes: Data
        /// Whether it came before what stood in front of it was answered.
        let wasFollowedAtOnce: Bool
    }

    private let service: Service
    private let directory: ScratchFolder

    init(through proxy: Daemon, form: String = "none") throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/websocket_room.py").path
        directory = try ScratchFolder()
        service = try Service(
            "/usr/bin/python3",
            ["-W", "ignore", script, String(proxy.port), directory.path, form])
    }

    /// What the server heard over its next connection, once that is over, and the code that it was
    /// closed with.
    func next() throws -> (heard: [Heard], code: Int) {
        let words = try service.readLine().split(separator: " ").compactMap { Int($0) }
        guard words.count == 2 else { throw Tool.Failure(description: service.errors) }
        let report = try Data(
            contentsOf: URL(fileURLWithPath: "\(directory.path)/\(words[0])"))
        let all = try JSONSerialization.jsonObject(with: report) as? [[Any]] ?? []
        let heard = all.compactMap { parts -> Heard? in
            guard parts.count == 3, let kind = parts[0] as? String,
                let text = parts[1] as? String, let bytes = Data(base64Encoded: text),
                let isAhead = parts[2] as? Bool
            else { return nil }
            return Heard(kind: kind, bytes: bytes, wasFollowedAtOnce: isAhead)
        }
        guard heard.count == all.count else { throw Tool.Failure(description: "no messages") }
        return (heard, words[1])
    }
}
