import Foundation
import ProxydTestSupport
import Testing

/// Scripts of rules: what they say is done, and what goes wrong with them costs little.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: ScriptedDaemon.isPossible, "there is no Python, or the kernel has no Landlock"))
struct RuleScriptTests {
    private static let requests = """
        [[rule]]
        name = "r"
        request = [{ run = "s" }]
        """

    @Test func `a rule's script can edit a request, and both versions are recorded`() throws {
        let scripted = try ScriptedDaemon(
            """
            sent = json.loads(base64.b64decode(m["body"]))
            a["set"] = [{"target": "header:X-Sum", "value": str(sent["a"] + sent["b"])},
                        {"target": "json:a", "value": 9}]
            a["remove"] = [{"target": "query:debug"}]
            """,
            rules: """
                [[rule]]
                name = "sum"
                when = 'method=POST'
                request = [{ set = "json:b", value = 40 }, { run = "s", body = true }]
                """)
        let outcome = try scripted.daemon.curl(
            "-H", "Content-Type: application/json", "-d", "{\"a\":2, \"b\":3}",
            scripted.url("/add?debug=1"))
        #expect(outcome.text == "ok")
        let sent = try scripted.origin.nextRequest()
        #expect(sent.hasPrefix("POST /add HTTP/1.1\r\n") && sent.contains("\r\nX-Sum: 42\r\n"))
        #expect(sent.hasSuffix("\r\n\r\n{\"a\":9, \"b\":40}"))
        let row = try scripted.daemon.row()
        #expect(
            try scripted.outcomes(row) == [
                "changed, json:b", "changed, s: header:X-Sum, json:a, query:debug",
            ])
        let shown = try scripted.daemon.show(row)
        #expect(shown.row("request")?.text("body_text") == "{\"a\":2, \"b\":3}")
    }

    @Test
    func `a rule's script can edit a response over HTTP/1.1 and HTTP/2 and respond to a request`()
        throws
    {
        let certificate = try TestCertificate()
        let server = try Origin(tls: certificate)
        let scripted = try ScriptedDaemon(
            """
            if m["phase"] == "request":
                if m["url"].endswith("/tea"):
                    a["respond"] = {"status": 418, "headers": [["X-Pot", "1"]], "text": "short"}
            else:
                a["set"] = [{"target": "status", "value": m["status"] + 3},
                            {"target": "header:x-seen", "value": dict(m["request_headers"])["x-a"]},
                            {"target": "body", "value": str(len(base64.b64decode(m["body"])) > 0)}]
            """,
            rules: """
                [[rule]]
                name = "both"
                request = [{ run = "s" }]
                response = [{ run = "s", body = true }]
                """, trusting: certificate)
        for version in ["--http1.1", "--http2"] {
            let text = try scripted.daemon.curl(
                version, "-i", "-H", "x-a: 7", server.url("/headers")
            ).text
            #expect(text.contains(" 203 ") && text.contains("x-seen: 7"), "\(version) \(text)")
            #expect(text.hasSuffix("\r\n\r\nTrue"), "\(version)")
        }
        let tea = try scripted.daemon.curl("-i", "-H", "x-a: 8", server.url("/tea")).text
        #expect(tea.lowercased().contains("x-seen: 8") && tea.contains(" 421 "), "\(tea)")
        let row = try scripted.daemon.row("path=/tea")
        #expect(try scripted.outcomes(row).first == "answered, s: status 418")
    }

    @Test func `a request is forwarded unchanged if a rule's script returns no changes`() throws {
        let scripted = try ScriptedDaemon("", rules: RuleScriptTests.requests)
        #expect(try scripted.ask("/plain") == "ok")
        #expect(try scripted.outcomes(try scripted.daemon.row()) == ["unchanged, s"])
    }

    @Test
    func `a rule's script that exits is restarted, and the waiting request is sent unchanged`()
        throws
    {
        let scripted = try ScriptedDaemon(
            """
            if m["url"].endswith("/die"): os._exit(3)
            a["respond"] = {"status": 200, "text": "alive"}
            """, rules: RuleScriptTests.requests)
        #expect(try scripted.ask() == "alive")
        #expect(try scripted.ask("/die") == "ok")
        let row = try scripted.daemon.row("path=/die")
        #expect(try scripted.outcomes(row) == ["failed, s: it ended with status 3"])
        #expect(try scripted.askUntil { $0 == "alive" } == "alive")
    }

    @Test func `a rule's script that hangs is terminated after its timeout and restarted`() throws {
        let scripted = try ScriptedDaemon(
            """
            if m["url"].endswith("/hang"): time.sleep(3600)
            a["respond"] = {"status": 200, "text": "alive"}
            """,
            rules: """
                [[rule]]
                name = "r"
                request = [{ run = "s", timeout_ms = 1000, otherwise = "fail" }]
                """)
        #expect(try scripted.askUntil { $0 == "alive" } == "alive")
        #expect(try scripted.daemon.curl("-i", scripted.url("/hang")).text.contains(" 502 "))
        let row = try scripted.daemon.row("path=/hang")
        #expect(try scripted.outcomes(row) == ["failed, s: no answer after 1000 ms"])
        #expect(try scripted.askUntil { $0 == "alive" } == "alive")
    }

    @Test(arguments: [
        ("while True: os.write(1, b'a' * 65536)", "it wrote a line of more than 33554432 bytes"),
        ("print('debug')", "it wrote a line that is not an answer: debug"),
        (
            "a = {'id': 10 ** 9}; print(json.dumps(a))",
            "it wrote a line that is not an answer: {\"id\": 1000000000}"
        ),
        ("os.close(1); time.sleep(3600)", "it was ended by signal 15"),
    ])
    func `a rule's script that writes invalid output is terminated and restarted`(
        statement: String, reason: String
    ) throws {
        let scripted = try ScriptedDaemon(
            """
            if m["url"].endswith("/odd"):
                \(statement)
            a["respond"] = {"status": 200, "text": "alive"}
            """, rules: RuleScriptTests.requests, options: "timeout_ms = 60000")
        #expect(try scripted.ask() == "alive")
        #expect(try scripted.ask("/odd") == "ok")
        let row = try scripted.daemon.row("path=/odd")
        #expect(try scripted.outcomes(row) == ["failed, s: \(reason)"])
        #expect(try scripted.askUntil { $0 == "alive" } == "alive")
        #expect(try scripted.daemon.residentKiB() < 256 << 10)
    }

    @Test func `a rule's script with two workers handles two requests at the same time`() throws {
        let scripted = try ScriptedDaemon(
            """
            seen = os.environ["TMPDIR"] + m["url"][-2:]
            open(seen, "w").close()
            other = os.environ["TMPDIR"] + {"/a": "/b", "/b": "/a"}[m["url"][-2:]]
            while not os.path.exists(other): time.sleep(0.01)
            a["respond"] = {"status": 200, "text": "met"}
            """, rules: RuleScriptTests.requests, options: "workers = 2\ntimeout_ms = 60000")
        let one = try Fetch(scripted.daemon, scripted.url("/a"))
        let two = try Fetch(scripted.daemon, scripted.url("/b"))
        #expect(one.finish().text.hasSuffix("met") && two.finish().text.hasSuffix("met"))
    }

    @Test func `an 8 MiB body can be passed to a rule's script and returned by it`() throws {
        let scripted = try ScriptedDaemon(
            """
            body = base64.b64decode(m["body"])
            a["respond"] = {"status": 200, "body": base64.b64encode(body[::-1]).decode()}
            """,
            rules: """
                [[rule]]
                name = "r"
                request = [{ run = "s", body = true, timeout_ms = 60000 }]
                """)
        let sent = scripted.folder + "/sent"
        let bytes = Data((0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try bytes.write(to: URL(fileURLWithPath: sent))
        let received = scripted.folder + "/received"
        try scripted.daemon.curl("-o", received, "--data-binary", "@\(sent)", scripted.url("/"))
        let back = try Data(contentsOf: URL(fileURLWithPath: received))
        #expect(back == Data(bytes.reversed()))
    }

    @Test func `an edited rule script takes effect immediately, and its standard error is logged`()
        throws
    {
        let scripted = try ScriptedDaemon(
            "a['respond'] = {'status': 200, 'text': 'one'}", rules: RuleScriptTests.requests)
        #expect(try scripted.ask() == "one")
        try scripted.write(
            """
            print("two \\x1b[31m", file=sys.stderr)
            a['respond'] = {'status': 200, 'text': 'two'}
            """)
        #expect(try scripted.ask() == "two")
        try scripted.waitForLog("script s: two ")
        #expect(!scripted.daemon.service.errors.contains("\u{1B}"))
    }

    @Test func `processes of rule scripts exit when the rules change and when proxyd stops`()
        throws
    {
        let scripted = try ScriptedDaemon(
            "a['respond'] = {'status': 200, 'text': str(os.getpid())}",
            rules: RuleScriptTests.requests)
        let first = try scripted.ask()
        #expect(try scripted.ask() == first, "one program for all")
        try scripted.write(rules: RuleScriptTests.requests, options: "reads = [\"/var\"]")
        let second = try scripted.askUntil { $0 != first && $0 != "ok" }
        let isThere = { (pid: String) in
            FileManager.default.fileExists(atPath: "/proc/\(pid)")
        }
        try Eventually.isTrue(orFail: "the first program does not end") { !isThere(first) }
        #expect(isThere(second))
        #expect(scripted.daemon.stop() == 0)
        #expect(!isThere(second))
    }

    @Test func `the example script in the documentation of rules works as described`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appendingPathComponent("docs/RULES.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## Scripts\n").last)
        func block(_ language: String) throws -> String {
            let parts = section.components(separatedBy: "```\(language)\n")
            return try #require(parts.dropFirst().first?.components(separatedBy: "```\n").first)
        }
        let data = try ScratchFolder()
        try block("toml").replacing("api.example.com", with: "127.0.0.1").write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        try block("python").write(
            toFile: data.path + "/sign.py", atomically: true, encoding: .utf8)
        let origin = try ReplayOrigin()
        let daemon = try Daemon(data: data)
        try daemon.curl(
            "-H", "Content-Type: application/json", "-d", "{\"day\": 0}",
            "http://\(origin.authority)/")
        let sent = try origin.nextRequest()
        // printf '{"day": 0}' | sha256sum
        let hash = "ae7add2ed1d7421d0f2413717c270aa28236a46f48285e03f59f6244d7917645"
        #expect(sent.contains("\r\nX-Body-SHA256: \(hash)\r\n"), "\(sent)")
        let day = /\{"day": "2[0-9]{3}-[0-9]{2}-[0-9]{2}"\}$/
        #expect(sent.firstMatch(of: day) != nil, "\(sent)")
    }
}
