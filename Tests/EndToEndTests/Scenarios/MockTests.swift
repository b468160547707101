import Foundation
import ProxydTestSupport
import Testing

/// Captures that answer in the place of servers, by a rule.
@Suite(.timeLimit(.minutes(10)))
struct MockTests {
    private let data: ScratchFolder

    init() throws { data = try ScratchFolder() }

    private var file: String { data.path + "/rules.toml" }

    private func write(_ action: String, when filter: String = "") throws {
        let condition = filter.isEmpty ? "" : "when = '\(filter)'\n"
        try "[[rule]]\nname = \"m\"\n\(condition)request = [{ \(action) }]\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// A daemon whose store has what a HAR file holds, with a rule that mocks it.
    private func daemon(_ entries: [HARFile.Entry], _ options: String = "") throws -> Daemon {
        let daemon = try Daemon(data: data)
        let har = data.path + "/in.har"
        try HARFile.write(entries, to: har)
        #expect(try daemon.proxyctl(["import", har]).status == 0)
        try mock(daemon, "mock = 'host:test'\(options)")
        return daemon
    }

    private func mock(_ daemon: Daemon, _ action: String) throws {
        try write(action)
        let reload = try daemon.proxyctl(["rule", "reload"])
        #expect(reload.status == 0, "\(reload)")
    }

    /// What `rule list --json` says of the mock.
    private func report(_ daemon: Daemon) throws -> Row? {
        let rows = try daemon.proxyctl(["rule", "list", "--json"]).text.split(separator: "\n")
        let row = try Row(json: String(try #require(rows.first)))
        return (row.object["mocks"] as? [[String: Any]])?.first.map(Row.init)
    }

    @Test func `a mock rule serves the recorded responses of a server that is down`() throws {
        var origin: ReplayOrigin? = try ReplayOrigin()
        let authority = try #require(origin).authority
        let url = "http://\(authority)/count"
        var daemon = try Daemon(data: data)
        #expect(try daemon.curl(url, url, url).text == "123")
        _ = try daemon.rows(count: 3)
        origin = nil
        try mock(daemon, "mock = 'path=/count'")
        #expect(try daemon.curl(url, url).text == "12")
        // A change of other rules leaves it where it is.
        let other = ["rule", "add", "other", "--when", "host=other.test"]
        let added = try daemon.proxyctl(other + ["--request", "block 403", "--temporary"])
        #expect(added.status == 0, "\(added)")
        #expect(try daemon.curl(url).text == "3")
        // What captures answered is no capture, and what begins anew begins with the first.
        _ = try daemon.rows(count: 6)
        #expect(try daemon.proxyctl(["serve", "--reset"]).status == 0)
        #expect(try daemon.curl(url, url, url, url).text == "1233")
        let report = try #require(try report(daemon))
        #expect(report.int("captures") == 3)
        #expect(report.int("served") == 4)
        #expect(report.int("never_served") == 0)
        let shown = try daemon.show(try #require(try daemon.rows("rule=m", count: 7).first))
        #expect(shown.object["server_address"] is NSNull)
        #expect(daemon.stop() == 0)
        // A daemon that starts with the rule has the captures, too.
        daemon = try Daemon(data: data)
        #expect(try daemon.curl(url).text == "1")
    }

    @Test
    func `a request that matches no mock gets a 502 naming the nearest one and is not forwarded`()
        throws
    {
        let origin = try ReplayOrigin()
        let url = "http://\(origin.authority)/x"
        let daemon = try Daemon(data: data)
        try daemon.curl("\(url)?a=1")
        _ = try origin.nextRequest()
        let id = try #require(try daemon.row().int("id"))
        try mock(daemon, "mock = 'path=/x'")
        let missed = try daemon.curl("-i", "\(url)?a=2&b=1")
        #expect(missed.text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(
            missed.text.contains("\r\nProxyd-Mock: unmatched; nearest=\(id); differs=query\r\n"))
        #expect(missed.text.contains("The nearest is \(id): GET \(url)?a=1\n"))
        #expect(missed.text.hasSuffix("  query: a has another value, b is new\n"))
        #expect(try daemon.curl("\(url)?a=1").text == "ok")
        let detail =
            try daemon.show(
                try #require(try daemon.rows("status=502", count: 1).first)
            ).object["applied_rules"] as? [[String: Any]]
        #expect(
            detail?.first?["detail"] as? String
                == "status 502, unmatched, nearest \(id), differs in query", "\(detail ?? [])")
        try mock(daemon, "mock = 'path=/x', unmatched = \"close\"")
        #expect(try daemon.curl("\(url)?a=2").status == 52)
        try mock(daemon, "mock = 'path=/x', unmatched = 404, order = \"once\"")
        #expect(try daemon.curl("\(url)?a=1").text == "ok")
        let used = try daemon.curl("-w", "%{http_code}", "\(url)?a=1")
        #expect(used.text.hasSuffix("served; the last was \(id).\n404"), "\(used)")
        try mock(daemon, "mock = 'path=/x', unmatched = \"forward\"")
        #expect(try daemon.curl("\(url)?a=3").text == "ok")
        // The only request that has reached the server since it was recorded.
        #expect(try origin.nextRequest().hasPrefix("GET /x?a=3 "))
    }

    @Test func `a mock rule compares JSON bodies by value and can ignore named parameters`()
        throws
    {
        let json = ["Content-Type": "application/json"]
        let url = "http://api.test/pay?ts=1"
        let daemon = try daemon(
            [
                .init(
                    method: "POST", url: url, requestFields: json,
                    requestBody: "{\"a\":1,\"n\":\"x\"}", body: "one"),
                .init(
                    method: "POST", url: url, requestFields: json,
                    requestBody: "{\"a\":2,\"n\":\"x\"}", body: "two"),
            ], ", ignore = [\"query:ts\", \"json:n\"]")
        func pay(_ body: String) throws -> String {
            try daemon.curl(
                "-H", "Content-Type: application/json", "-d", body, "http://api.test/pay?ts=7"
            ).text
        }
        #expect(try pay("{ \"n\": \"y\", \"a\": 2.0 }") == "two")
        #expect(try pay("{\"a\": 1}") == "one")
        #expect(try pay("{\"a\": 3}").hasSuffix("  body: a has another value\n"))
    }

    @Test
    func `a mock rule answers an upload with a matching capture, or with a 502 if there is none`()
        throws
    {
        let daemon = try daemon([
            .init(method: "PUT", url: "http://api.test/up", requestBody: "big", body: "stored")
        ])
        let known = try daemon.curl(
            "-X", "PUT", "-H", "Expect: 100-continue", "-H", "Content-Type: text/plain", "-d",
            "big", "http://api.test/up")
        #expect(known.text == "stored")
        let unknown = try daemon.curl(
            "-X", "PUT", "-d", "big", "-w", "%{http_code}", "http://api.test/other")
        #expect(unknown.text.hasSuffix("\n502"), "\(unknown)")
    }

    @Test
    func `a mocked response keeps its recorded Date and Age unless the rule refreshes them`()
        throws
    {
        let entries = [
            HARFile.Entry(
                url: "http://api.test/x", status: 203,
                fields: [
                    "Date": "Mon, 23 Nov 2026 10:00:00 GMT", "Age": "7", "X-Own": "1",
                    "Cache-Control": "max-age=60",
                ], body: "hello"),
            HARFile.Entry(
                method: "HEAD", url: "http://api.test/x", fields: ["Content-Length": "5"]),
        ]
        let daemon = try daemon(entries)
        let plain = try daemon.curl("-i", "http://api.test/x").text
        #expect(plain.hasPrefix("HTTP/1.1 203"))
        #expect(plain.contains("\r\nDate: Mon, 23 Nov 2026 10:00:00 GMT\r\n"))
        #expect(plain.contains("\r\nAge: 7\r\n"))
        #expect(plain.hasSuffix("\r\n\r\nhello"))
        let head = try daemon.curl("-I", "http://api.test/x").text
        #expect(head.contains("\r\nContent-Length: 5\r\n"), "\(head)")
        try mock(daemon, "mock = 'host:test', refresh = true")
        let fresh = try daemon.curl("-i", "http://api.test/x").text
        #expect(fresh.contains("\r\nX-Own: 1\r\n"))
        #expect(!fresh.contains("\r\nAge: 7\r\n"))
        let date = fresh.split(separator: "\r\n").first { $0.hasPrefix("Date: ") }
        #expect(date != nil && date != "Date: Mon, 23 Nov 2026 10:00:00 GMT", "\(fresh)")
    }

    @Test func `a mock rule can delay a response by the time that the recorded one took`() throws {
        let daemon = try daemon(
            [
                .init(
                    url: "http://api.test/slow", body: String(repeating: "x", count: 10_000),
                    wait: 250, receive: 350)
            ], ", pace = \"recorded\"")
        let timed = try daemon.curl(
            "-w", "\n%{time_starttransfer} %{time_total}", "http://api.test/slow")
        let times =
            timed.text.split(separator: "\n").last?.split(separator: " ")
            .compactMap { Double($0) } ?? []
        // No less is right, more may be.
        #expect(times.first ?? 0 >= 0.25, "\(times)")
        #expect(times.last ?? 0 >= 0.6, "\(times)")
        #expect(timed.text.hasPrefix(String(repeating: "x", count: 10_000)))
    }

    @Test
    func `a mock rule serves HTTPS requests over HTTP/1.1 and HTTP/2 without contacting a server`()
        throws
    {
        let daemon = try daemon([
            .init(url: "https://api.test/x", body: "one"),
            .init(url: "https://api.test/x", body: "two"),
        ])
        for (version, body) in [("--http1.1", "one"), ("--http2", "two")] {
            let outcome = try daemon.curl(
                version, "-w", " %{http_version} %{http_code}", "https://api.test/x")
            let number = version == "--http2" ? "2" : "1.1"
            #expect(outcome.text == "\(body) \(number) 200", "\(outcome)")
        }
        let missed = try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", "https://api.test/y")
        #expect(missed.text == "502")
    }

    @Test
    func `a mock rule responds with a 501 to upgrades and to tunnels that are not intercepted`()
        throws
    {
        try write("mock = ''", when: "host:test")
        let daemon = try Daemon(
            configuration: "[tls]\npass_through = [\"closed.test\"]\n", data: data)
        let upgrade = try daemon.curl(
            "-i", "-H", "Connection: Upgrade", "-H", "Upgrade: websocket", "http://api.test/ws")
        #expect(upgrade.text.hasPrefix("HTTP/1.1 501 "), "\(upgrade)")
        let tunnel = try daemon.curl("https://closed.test/")
        #expect(tunnel.errors.contains("501"), "\(tunnel)")
    }

    @Test
    func `a mock rule skips captures with incomplete bodies, and proxyctl rule list reports them`()
        throws
    {
        let origin = try Origin()
        let daemon = try Daemon(
            configuration: "[recording]\nbody_capture_byte_count_max = 10\n", data: data)
        try daemon.curl("-o", "/dev/null", origin.url("/bytes/100"))
        try daemon.curl("-o", "/dev/null", origin.url("/bytes/5"))
        _ = try daemon.rows(count: 2)
        try mock(daemon, "mock = 'path:/bytes'")
        let whole = try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", origin.url("/bytes/5"))
        #expect(whole.text == "200")
        let cut = try daemon.curl("-w", "%{http_code}", origin.url("/bytes/100"))
        #expect(cut.text.hasSuffix("\n502"), "\(cut)")
        let listed = try daemon.proxyctl(["rule", "list"])
        #expect(listed.text.contains("m: 1 capture, 1 served, 1 unmatched, 0 never requested"))
        let told = "not served: 1 capture with an incompletely recorded response body (1)"
        #expect(listed.errors.contains("m: \(told)"), "\(listed)")
        #expect(daemon.service.errors.contains("rule \"m\": \(told)"), "\(daemon.service.errors)")
    }

    @Test
    func `response rules edit mocked responses; proxyctl rule test predicts that a mock answers`()
        throws
    {
        let daemon = try daemon([.init(url: "http://api.test/x", body: "old")])
        try """
        [[rule]]
        name = "m"
        request = [{ mock = 'host=api.test' }]
        response = [{ replace = "body", match = 'old', with = "new" }]

        """.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try daemon.proxyctl(["rule", "reload"]).status == 0)
        #expect(try daemon.curl("http://api.test/x").text == "new")
        let trial = try daemon.proxyctl(["rule", "test", "--explain", "1"])
        #expect(trial.text.contains("request: answered"), "\(trial)")
    }
}
