import Foundation
import ProxydHTTPModel
@testable import proxyctl
import ProxydTestSupport
import Testing

/// `proxyctl messages`, and messages in exports.
@Suite struct MessagesCommandTests {
    private let store: SampleStore

    init() throws {
        store = try SampleStore([]) { FilterManualStore.record(into: $0) }
    }

    @Test func `proxyctl messages lists WebSocket messages and server-sent events in order`() throws
    {
        let run = store.run("messages", "1")
        #expect(run.code == 0)
        #expect(run.lines.count == 4)
        #expect(run.lines[0].contains("→ text") && run.lines[0].hasSuffix("hello"))
        #expect(run.lines[1].contains("← text"))
        #expect(run.lines[3].contains("close") && run.lines[3].contains("1000"))
        let rows = try store.objects(store.run("messages", "2", "--json"))
        #expect(rows.count == 1)
        #expect(rows[0]["kind"] as? String == "event")
        #expect(rows[0]["event"] as? String == "price")
        #expect(rows[0]["id"] as? String == "7")
        #expect(rows[0]["text"] as? String == "apples 12")
    }

    @Test(arguments: [
        (["hello"], [0, 1]), (["HELLO", "dir=to_client"], [1]), (["kind=text", "not hello"], [2]),
        (["code=1000"], [3]), (["(apples", "or", "you)"], [1, 2]), (["text~^hello$"], [0]),
    ])
    func `proxyctl messages prints only the messages that match its filter`(
        words: [String], positions: [Int]
    ) throws {
        let run = CommandRun(
            ["--data-dir", store.directoryPath, "messages", "1", "--json"] + words)
        #expect(run.code == 0)
        #expect(try store.objects(run).map { $0["position"] as? Int } == positions)
    }

    @Test
    func `proxyctl messages fails if no message matches, and reports a mistake in its filter`()
        throws
    {
        let none = store.run("messages", "1", "nothing")
        #expect(none.code == 1)
        #expect(none.output.isEmpty)
        #expect(none.errors.contains("nothing matched"))
        let wrong = store.run("messages", "1", "kind=txt")
        #expect(wrong.code == 64)
        #expect(wrong.errors.contains("column 6") && wrong.errors.contains("binary"))
        #expect(store.run("messages", "99").code == 1)
        // Without a filter, none is no mistake.
        let silent = store.run("messages", "3")
        #expect(silent.code == 0)
        #expect(
            silent.errors == "proxyctl: exchange 3 has no messages: see proxyctl show 3\n")
    }

    @Test(arguments: ["har", "jsonl"])
    func `export and import keep WebSocket messages; in JSON Lines they also keep SSE events`(
        format: String
    ) throws {
        let path = store.scratch.path + "/out.\(format)"
        #expect(store.run("export", "--format", format, "--output", path).code == 0)
        let run = store.run("import", path)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "imported 5 exchanges, 6 to 10\n")
        let socket = (1...6).map { $0 == 6 ? "6" : "1" }.suffix(2)
        let both = socket.map { store.run("messages", $0, "--json").lines }
        #expect(both[0] == both[1])
        #expect(both[0].count == 4)
        let events = ["2", "7"].map { store.run("messages", $0, "--json").lines }
        #expect(events[0].count == 1)
        #expect(events[1] == (format == "jsonl" ? events[0] : []))
        let rows = try store.objects(store.run("list", "--json", "id>5"))
        #expect(rows.map { $0["grpc_status"] as? Int } == [nil, nil, 5, nil, nil])
        #expect(
            rows.map { $0["graphql_operation"] as? String } == [nil, nil, nil, "Basket", "Buy"])
    }

    @Test func `an exchange with 3,000 WebSocket messages is imported completely`() throws {
        let count = 3_000
        var lines: [String] = store.run("export", "--format", "jsonl", "id=1").lines
        let filler = String(repeating: "x", count: 5_000)
        for position in 4..<(4 + count) {
            lines.append(
                #"{"message_of": 1, "position": \#(position), "direction": "to_client", "#
                    + #""kind": "text", "text": "\#(filler)\#(position)"}"#
            )
        }
        lines += store.run("export", "--format", "jsonl", "id=4").lines
        let path = try store.scratch.write("many.jsonl", lines.joined(separator: "\n"))
        #expect(store.run("import", path).output == "imported 2 exchanges, 6 to 7\n")
        let rows = try store.objects(store.run("list", "--json", "id>5"))
        #expect(rows.map { $0["state"] as? String } == ["complete", "complete"])
        #expect(rows[0]["messages"] as? Int == count + 3)
        let last = try store.objects(store.run("messages", "6", "--json", "\"x\(count + 3)\""))
        #expect(last.map { $0["position"] as? Int } == [count + 3])
    }

    @Test func `proxyctl list names GraphQL operations, and proxyctl show prints them formatted`()
        throws
    {
        let list = store.run("list")
        #expect(list.lines.contains { $0.contains("/graphql") && $0.contains("(query Basket)") })
        #expect(list.lines.contains { $0.contains("(mutation Buy)") })
        let show = store.run("show", "5")
        #expect(show.output.contains("graphql       mutation Buy"))
        #expect(
            show.output.contains(
                "    mutation Buy {\n      buy(id: 3) {\n        total\n      }\n    }\n"))
    }
}
