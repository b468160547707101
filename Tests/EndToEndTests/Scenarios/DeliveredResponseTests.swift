import Foundation
import ProxydTestSupport
import Testing

/// Responses that clients received in another form than the server sent them, or not at all: every
/// list, filter, export and check shows what the client received.
@Suite(.timeLimit(.minutes(10)))
struct DeliveredResponseTests {
    private let data: ScratchFolder

    init() throws { data = try ScratchFolder() }

    private func daemon(
        _ rules: String, trusting certificate: TestCertificate? = nil
    ) throws -> Daemon {
        try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        return try Daemon(trusting: certificate, data: data)
    }

    private static let rules = """
        [[rule]]
        name = "status"
        when = 'query=status'
        response = [{ set = "status", value = 503 }]
        [[rule]]
        name = "answer"
        when = 'query=answer'
        response = [{ respond = 410, body = "gone", type = "text/plain" }]
        [[rule]]
        name = "block"
        when = 'query=block'
        response = [{ block = 451 }]
        [[rule]]
        name = "close"
        when = 'query=close'
        response = [{ block = "close" }]
        [[rule]]
        name = "body"
        when = 'query=body'
        response = [{ set = "body", value = "another body" }]
        [[rule]]
        name = "secret"
        when = 'query=secret'
        response = [
          { set = "header:X-Key", value = "hidden-key", secret = true },
          { set = "body", value = "hidden body", secret = true },
        ]

        """

    private func status(_ daemon: Daemon, _ version: String, _ url: String) throws -> String {
        try daemon.curl(version, "-o", "/dev/null", "-w", "%{http_code} %{size_download}", url).text
    }

    /// The only entry of an export as HAR.
    private func entry(_ daemon: Daemon, _ filter: String) throws -> [String: Any] {
        let text = try daemon.proxyctl(["export", filter, "--format", "har"]).output
        let har = try JSONSerialization.jsonObject(with: text) as? [String: Any]
        let entries = (har?["log"] as? [String: Any])?["entries"] as? [[String: Any]]
        return try #require(entries?.first)
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `lists, filters, exports and checks use the status that a rule sent to the client`(
        version: String
    ) throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let daemon = try daemon(Self.rules, trusting: certificate)
        #expect(try status(daemon, version, origin.url("/echo?status")).hasPrefix("503 "))
        let row = try daemon.row("status=503")
        #expect(row.int("status") == 503 && row.int("received_status") == 200)
        #expect(row.text("reason") == "Service Unavailable" && row.text("state") == "complete")
        #expect(try daemon.proxyctl(["list", "status=200", "--json"]).text.isEmpty)
        #expect(try daemon.row("received_status=2xx").int("id") == row.int("id"))
        let har = try entry(daemon, "status=503")
        #expect((har["response"] as? [String: Any])?["status"] as? Int == 503)
        #expect((har["_received"] as? [String: Any])?["status"] as? Int == 200)
        let checks = data.path + "/checks.toml"
        try "[[expect]]\nname = \"ok\"\nwhen = 'path=/echo'\nevery = 'status<500'\n".write(
            toFile: checks, atomically: true, encoding: .utf8)
        #expect(try daemon.proxyctl(["assert", checks]).status == 1)
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `proxyctl serve does not serve responses that a rule replaced or blocked`(
        version: String
    ) throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let daemon = try daemon(Self.rules, trusting: certificate)
        #expect(try status(daemon, version, origin.url("/bytes/300000?answer")) == "410 4")
        #expect(try status(daemon, version, origin.url("/bytes/300000?block")) == "451 0")
        let answered = try daemon.row("rule=answer")
        #expect(answered.int("status") == 410 && answered.int("received_status") == 200)
        #expect(answered.int("response_body_bytes") == 4)
        #expect(answered.text("response_content_type") == "text/plain")
        let response = try #require(try daemon.show(answered).row("response"))
        #expect(response.object["body_truncated"] as? Bool == true)
        #expect(response.row("sent")?.text("start_line")?.hasSuffix("410 Gone") == true)
        #expect(response.row("sent")?.text("body_text") == "gone")
        let blocked = try daemon.row("rule=block")
        #expect(blocked.int("status") == 451 && blocked.int("response_body_bytes") == 0)
        let served = try daemon.proxyctl([
            "serve", "--from", "rule=answer or rule=block", "--listen", "127.0.0.1:0",
        ])
        #expect(served.status != 0 && served.errors.contains("there is nothing to serve"))
    }

    @Test func `an exchange has no status if a rule closed the connection instead of responding`()
        throws
    {
        let origin = try Origin()
        let daemon = try daemon(Self.rules)
        #expect(try daemon.curl(origin.url("/echo?close")).status == 52)
        let row = try daemon.row()
        #expect(row.object["status"] is NSNull && row.int("received_status") == 200)
        #expect(row.text("state") == "failed")
        #expect(row.text("error") == "rule blocked: close")
        #expect(row.int("response_body_bytes") == 0)
        let har = try entry(daemon, "")
        #expect((har["response"] as? [String: Any])?["status"] as? Int == 0)
        #expect((har["_received"] as? [String: Any])?["status"] as? Int == 200)
        #expect(try daemon.show(row).row("response") != nil)
    }

    @Test func `the recorded body size is the size of the body that the client received`() throws {
        let origin = try Origin()
        let daemon = try daemon(Self.rules)
        #expect(try status(daemon, "--http1.1", origin.url("/echo?body")) == "200 12")
        let row = try daemon.row("size=12")
        #expect(row.int("response_body_bytes") == 12 && row.object["received_status"] is NSNull)
        let response = try #require(try daemon.show(row).row("response"))
        #expect((response.int("body_bytes") ?? 0) > 12)
        #expect(response.row("sent")?.int("body_bytes") == 12)
    }

    @Test
    func `a response into which a rule inserts a secret is recorded with its type and size only`()
        throws
    {
        let origin = try Origin()
        let daemon = try daemon(Self.rules)
        _ = try daemon.curl(origin.url("/echo"))
        #expect(try status(daemon, "--http1.1", origin.url("/echo?secret")) == "200 11")
        let rows = try daemon.rows(count: 2)
        let types = rows.map { $0.text("response_content_type") }
        #expect(types[0] != nil && types[0] == types[1])
        #expect(rows[1].int("response_body_bytes") == 11)
        let shown = try daemon.proxyctl(["show", String(rows[1].int("id") ?? 0), "--json"]).text
        #expect(!shown.contains("hidden"))
        let sent = try #require(try Row(json: shown).row("response")?.row("sent"))
        #expect(sent.int("body_bytes") == 11)
    }

    @Test
    func `an exported exchange keeps its status, sizes and hold time when read from the file`()
        throws
    {
        let origin = try Origin()
        let hold = """
            [[rule]]
            name = "hold"
            when = 'query=hold'
            request = [{ hold = true }]

            """
        let daemon = try daemon(Self.rules + hold)
        for kind in ["status", "answer", "body", "close", "secret"] {
            _ = try daemon.curl(origin.url("/echo?\(kind)"))
        }
        let holder = try Holder(daemon)
        let fetch = try Fetch(daemon, origin.url("/echo?hold"))
        let held = try #require(try holder.next().int("hold"))
        #expect(try daemon.proxyctl(["hold", "resume", String(held)]).status == 0)
        _ = fetch.finish()
        let rows = try daemon.rows(count: 6)
        let columns = [
            "path", "query", "status", "reason", "received_status", "response_body_bytes",
            "response_content_type", "held_ms", "state", "error",
        ]
        for format in ["har", "jsonl"] {
            let file = data.path + "/out.\(format)"
            let export = try daemon.proxyctl(["export", "--format", format, "--output", file])
            #expect(export.status == 0, "\(export)")
            let proxyctl = try Tool.built("proxyctl")
            let list = try Tool.run(proxyctl, ["--file", file, "list", "--json"])
            let read = try list.text.split(separator: "\n").map { try Row(json: String($0)) }
            #expect(read.count == rows.count, "\(format) \(list)")
            for (row, original) in zip(read, rows) {
                for column in columns {
                    #expect(
                        "\(row.object[column] ?? "")" == "\(original.object[column] ?? "")",
                        "\(format) \(column) of \(original.text("query") ?? "")")
                }
            }
        }
    }

    // MARK: Holds

    private static let holds = """
        [[rule]]
        name = "hold"
        request = [{ hold = true }]
        response = [{ hold = true }]

        """

    @Test func `the time that an exchange is held does not count toward its duration`() throws {
        let origin = try Origin()
        let daemon = try daemon(Self.holds)
        let holder = try Holder(daemon)
        let fetch = try Fetch(daemon, origin.url("/echo"))
        for _ in 0..<2 {
            let id = try #require(try holder.next().int("hold"))
            #expect(try daemon.proxyctl(["hold", "resume", String(id)]).status == 0)
        }
        #expect(fetch.finish().text.contains("200"))
        let row = try daemon.row("held>0ms")
        let held = try #require(row.object["held_ms"] as? Double)
        let duration = try #require(row.object["duration_ms"] as? Double)
        let shown = try daemon.show(row)
        let total = try #require(shown.row("timeline")?.object["total_duration_ms"] as? Double)
        #expect(abs(duration + held - total) < 1, "\(duration) + \(held) is not \(total)")
        let rules = try #require(shown.object["applied_rules"] as? [[String: Any]])
        let times = rules.compactMap { $0["hold_ms"] as? Double }
        #expect(times.count == 2 && abs(times.reduce(0, +) - held) < 0.01)
        #expect(try daemon.proxyctl(["show", String(row.int("id") ?? 0)]).text.contains(" held"))
        let timings = try #require(try entry(daemon, "")["timings"] as? [String: Any])
        #expect(abs(try #require(timings["_held"] as? Double) - held) < 0.01)
        #expect(try #require(timings["blocked"] as? Double) >= held - 0.01)
    }

    @Test
    func `if the user replaces a held response, the exchange has the replacement's status`()
        throws
    {
        let origin = try Origin()
        let daemon = try daemon("[[rule]]\nname = \"hold\"\nresponse = [{ hold = true }]\n")
        let holder = try Holder(daemon)
        let fetch = try Fetch(daemon, origin.url("/echo"))
        let id = String(try #require(try holder.next().int("hold")))
        #expect(try daemon.proxyctl(["hold", "answer", id, "--status", "418"]).status == 0)
        #expect(fetch.finish().text.contains(" 418 "))
        let row = try daemon.row("status=418")
        #expect(row.int("received_status") == 200)
    }

    @Test func `an exchange has no status if the client disconnects while the response is held`()
        throws
    {
        let origin = try Origin()
        let daemon = try daemon("[[rule]]\nname = \"hold\"\nresponse = [{ hold = true }]\n")
        let holder = try Holder(daemon)
        let client = try RawClient(port: daemon.port)
        client.send("GET \(origin.url("/echo")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try holder.next()
        client.close()
        let row = try daemon.row("state=failed")
        #expect(row.object["status"] is NSNull && row.int("received_status") == 200)
        #expect(row.object["held_ms"] is Double)
    }
}
