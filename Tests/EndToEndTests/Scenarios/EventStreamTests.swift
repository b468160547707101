import Foundation
import ProxydTestSupport
import Testing

/// Server-sent events are messages in the store while their stream is open.
struct EventStreamTests {
    @Test(arguments: ["http", "http gzip", "https", "https gzip"])
    func `server-sent events are listed while the stream is still open`(way: String) throws {
        let certificate = way.hasPrefix("https") ? try TestCertificate() : nil
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let query = way.hasSuffix("gzip") ? "?gzip" : ""
        let client = try Service(
            Tool.find("curl") ?? "",
            [
                "-sSN", "--compressed", "-x", proxy.url, "--cacert", proxy.certificatePath,
                origin.url("/events/gate\(query)"),
            ])
        // The client has them, too.
        while try client.readLine() != "data: ü" {}
        let row = try proxy.rows("path:/events", count: 1, final: false)[0]
        let running = try proxy.messages(of: row, count: 4)
        check(running)
        let live = try proxy.rows("path:/events", count: 1, final: false)[0]
        #expect(live.text("state") == "active")
        #expect(live.text("protocol") == "sse")
        #expect(live.int("messages") == 2)
        try proxy.curl(origin.url("/release/gate"))
        _ = try proxy.row("path:/events")
        let ended = try proxy.messages(of: row, count: 6)
        check(Array(ended.prefix(4)))
        #expect(ended.map { $0.text("text") }.suffix(2) == ["last", "never"])
        #expect(ended[5].object["unfinished"] as? Bool == true)
        #expect(ended[5].text("problem") != nil)
        #expect(ended.map { $0.int("position") } == [0, 1, 2, 3, 4, 5])
        #expect(ended.allSatisfy { $0.text("direction") == "to_client" })
        #expect(client.waitForExit() == 0)
        // `--follow` ends with the stream, and prints the same.
        let followed = try proxy.proxyctl([
            "messages", String(row.int("id") ?? 0), "--json", "--follow",
        ])
        #expect(followed.text.split(separator: "\n").count == 6)
    }

    @Test(arguments: ["", "--http1.1", "--http2"])
    func `a rule edits server-sent events line by line while the stream is open`(version: String)
        throws
    {
        let certificate = version.isEmpty ? nil : try TestCertificate()
        let origin = try Origin(tls: certificate)
        let data = try ScratchFolder()
        try """
        [[rule]]
        name = "euro"
        when = 'type:event-stream'
        response = [{ replace = "body", match = '^data: ü$', with = "data: euro", each = "line" }]

        """.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        let proxy = try Daemon(trusting: certificate, data: data)
        let client = try Service(
            Tool.find("curl") ?? "",
            [
                "-sSN", version.isEmpty ? "--http1.1" : version, "-x", proxy.url, "--cacert",
                proxy.certificatePath, origin.url("/events/gate"),
            ])
        // It has come while the last event is still held back.
        while try client.readLine() != "data: euro" {}
        try proxy.curl(origin.url("/release/gate"))
        let row = try proxy.row("path:/events")
        #expect(client.waitForExit() == 0)
        let shown = try proxy.show(row)
        let applied = shown.object["applied_rules"] as? [[String: Any]] ?? []
        #expect(applied.map { $0["outcome"] as? String } == ["changed"])
        #expect(applied.map { $0["detail"] as? String } == ["body, lines: 1"])
        let response = shown.row("response")
        #expect(response?.text("body_text")?.contains("data: ü\n") == true)
        let sent = response?.row("sent")?.text("body_text")
        #expect(sent?.contains("data: euro\n") == true, "\(shown.object)")
        #expect(sent?.hasSuffix("data: last\n\ndata: never") == true)
        // A trial says the same of what was captured.
        let trial = try proxy.proxyctl(["rule", "test", "--rule", "euro", "--json"])
        let line = try Row(json: String(trial.text.split(separator: "\n").first ?? ""))
        #expect(line.row("outcomes")?.int("changed") == 1, "\(trial)")
    }

    private func check(_ messages: [Row]) {
        #expect(messages.map { $0.text("kind") } == ["comment", "comment", "event", "event"])
        #expect(
            messages.map { $0.text("text") } == [
                "welcome", "retry: 1500", "{\"a\":\n1}", "ü",
            ])
        #expect(messages.map { $0.int("retry") } == [nil, 1500, nil, nil])
        #expect(messages.map { $0.text("event") } == [nil, nil, "price", nil])
        #expect(messages.map { $0.text("id") } == [nil, nil, "7", nil])
        #expect(messages[3].isNull("event") && messages[3].isNull("id"))
    }
}
