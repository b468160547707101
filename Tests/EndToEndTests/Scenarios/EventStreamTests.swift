import Foundation
import Testing

/// Server-sent events are messages in the store while their stream is open.
struct EventStreamTests {
    @Test(arguments: ["http", "http gzip", "https", "https gzip"])
    func `events are listed while the stream runs`(way: String) throws {
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
