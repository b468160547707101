import Foundation
import ProxydTestSupport
import Testing

/// Rules, as a person has them: a file beside the configuration, commands, and curl.
@Suite(.timeLimit(.minutes(10)))
struct RulesTests {
    private let data: ScratchFolder
    private let origin: ReplayOrigin

    init() throws {
        data = try ScratchFolder()
        origin = try ReplayOrigin()
    }

    private var file: String { data.path + "/rules.toml" }

    private func daemon(
        _ rules: String, trusting certificate: TestCertificate? = nil
    ) throws -> Daemon {
        try rules.write(toFile: file, atomically: true, encoding: .utf8)
        return try Daemon(trusting: certificate, data: data)
    }

    private func url(_ path: String) -> String { "http://\(origin.authority)\(path)" }

    @Test func `a rule edits a request and its response, and the original request stays recorded`()
        throws
    {
        let daemon = try daemon(
            """
            [[rule]]
            name = "pay"
            when = 'method=POST path:/pay'
            request = [
              { set = "header:X-Env", value = "staging" },
              { set = "json:amount", value = 7 },
            ]
            response = [{ set = "header:X-Seen", value = "yes" }, { tag = "paid" }]

            """)
        let outcome = try daemon.curl(
            "-i", "-H", "Content-Type: application/json", "-d", "{\"amount\": 100, \"to\":\"x\"}",
            url("/pay"))
        #expect(outcome.text.contains("\r\nX-Seen: yes\r\n"))
        let sent = try origin.nextRequest()
        #expect(sent.contains("\r\nX-Env: staging\r\n"))
        #expect(sent.contains("\r\nContent-Length: 23\r\n"))
        #expect(sent.hasSuffix("\r\n\r\n{\"amount\": 7, \"to\":\"x\"}"))
        let row = try daemon.row()
        #expect(row.object["tags"] as? [String] == ["paid"])
        let shown = try daemon.show(row)
        #expect(shown.row("request")?.text("body_text") == "{\"amount\": 100, \"to\":\"x\"}")
    }

    @Test func `rules change intercepted exchanges over HTTP/1.1 and HTTP/2`() throws {
        let certificate = try TestCertificate()
        let server = try Origin(tls: certificate)
        let daemon = try daemon(
            """
            [[rule]]
            name = "status"
            when = 'host=localhost'
            request = [{ set = "header:Host", value = "other.test" }]
            response = [{ set = "status", value = 418 }, { set = "header:X-Rule", value = "1" }]

            """, trusting: certificate)
        for version in ["--http1.1", "--http2"] {
            let outcome = try daemon.curl(version, "-i", server.url("/headers"))
            #expect(outcome.text.lowercased().contains("x-rule: 1"), "\(version)")
            #expect(outcome.text.contains(" 418 "), "\(version)")
        }
        for row in try daemon.rows("rule=status", count: 2) {
            let sent = try daemon.show(row).row("request")?.row("sent")
            #expect(sent?.text("authority") == "other.test", "\(row)")
        }
    }

    @Test func `the request body is recorded even if a rule responds in place of the server`()
        throws
    {
        let daemon = try daemon(
            """
            [[rule]]
            name = "login"
            request = [{ respond = 401 }]

            """)
        #expect(try daemon.curl("-d", "user=a", url("/login"), "-w", "%{http_code}").text == "401")
        let shown = try daemon.show(try daemon.row())
        #expect(shown.row("request")?.text("body_text") == "user=a")
    }

    @Test
    func `a rule can block a request or tunnel with a status, a reset or no response`()
        throws
    {
        let daemon = try daemon(
            """
            [[rule]]
            name = "ads"
            when = 'path=/ads'
            request = [{ block = 451 }]
            [[rule]]
            name = "cut"
            when = 'path=/cut'
            request = [{ block = "reset" }]
            [[rule]]
            name = "quiet"
            when = 'path=/quiet'
            request = [{ block = "hang" }]
            [[rule]]
            name = "tunnels"
            when = 'host=tunnel.test'
            connect = [{ block = 403 }]

            """)
        let status = try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", url("/ads"))
        #expect(status.text == "451")
        #expect(try daemon.curl(url("/cut")).status == 56)
        #expect(try daemon.curl("--max-time", "1", url("/quiet")).status == 28)
        let tunnel = try daemon.curl("https://tunnel.test/")
        #expect(tunnel.errors.contains("403"), "\(tunnel)")
        let rows = try daemon.rows(count: 4)
        let errors = rows.map { $0.text("error") }
        #expect(errors.contains("rule blocked: cut"), "\(errors)")
    }

    @Test func `a rule serves the current files of a folder and nothing outside it`() throws {
        let folder = data.path + "/www"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let page = folder + "/page.json"
        try "{\"v\":1}".write(toFile: page, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/out", withDestinationPath: data.path + "/proxyd.toml")
        let daemon = try daemon(
            """
            [[rule]]
            name = "local"
            when = 'host=cdn.test'
            request = [{ serve = "\(folder)", strip = "/static" }]
            [[rule]]
            name = "cors"
            when = 'host=cdn.test status=200'
            response = [{ set = "header:Access-Control-Allow-Origin", value = "*" }]

            """)
        let served = try daemon.curl("-i", "http://cdn.test/static/page.json?v=2")
        #expect(served.text.contains("Content-Type: application/json\r\n"))
        #expect(served.text.contains("Access-Control-Allow-Origin: *\r\n"))
        #expect(served.text.hasSuffix("\r\n\r\n{\"v\":1}"))
        let head = try daemon.curl("-I", "http://cdn.test/static/page.json")
        #expect(head.text.contains("Content-Length: 7\r\n"), "\(head)")
        try "{\"v\":2}".write(toFile: page, atomically: true, encoding: .utf8)
        #expect(try daemon.curl("http://cdn.test/static/page.json").text == "{\"v\":2}")
        for path in ["/static/..%2fproxyd.toml", "/static/out", "/static/%2e%2e/rules.toml"] {
            let refused = try daemon.curl(
                "--path-as-is", "-o", "/dev/null", "-w", "%{http_code}", "http://cdn.test\(path)")
            #expect(refused.text == "403", "\(path)")
        }
    }

    @Test func `a saved rules file takes effect immediately, and a broken one changes nothing`()
        throws
    {
        let daemon = try daemon("")
        func status() throws -> String {
            try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", url("/x")).text
        }
        #expect(try status() == "200")
        try "[[rule]]\nname = \"no\"\nrequest = [{ block = 403 }]\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        while try status() != "403" {}
        try "[[rule]]\nname = \"no\"\nrequest = [{ blok = 403 }]\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let reload = try daemon.proxyctl(["rule", "reload"])
        #expect(reload.status == 78)
        #expect(reload.errors.contains("rules.toml:3: unknown verb blok; did you mean block?"))
        #expect(try status() == "403")
        let starts = [["--check-config"], ["--data-dir", data.path + "/other"]]
        for arguments in starts {
            let start = try Tool.run(
                Tool.built("proxyd"), ["--config", data.path + "/proxyd.toml"] + arguments)
            #expect(start.status == 78)
            #expect(start.errors.contains("rules.toml:3: "))
        }
    }

    @Test func `a rules file that other users can write is rejected`() throws {
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        try "".write(toFile: data.path + "/proxyd.toml", atomically: true, encoding: .utf8)
        let check = try Tool.run(
            Tool.built("proxyd"), ["--config", data.path + "/proxyd.toml", "--check-config"])
        #expect(check.status == 78)
        #expect(check.errors.contains("is writable by others"))
    }

    @Test func `proxyctl rule adds, disables, moves and removes rules in the rules file`() throws {
        let daemon = try daemon("# mine\n")
        func status(_ path: String) throws -> String {
            try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", url(path)).text
        }
        func rule(_ arguments: String...) throws -> Tool.Outcome {
            try daemon.proxyctl(["rule"] + arguments)
        }
        #expect(try rule("add", "a", "--when", "path=/a", "--request", "block 403").status == 0)
        #expect(try rule("add", "b", "--request", "block 404").status == 0)
        #expect(try status("/a") == "403")
        #expect(try status("/b") == "404")
        #expect(try rule("move", "b", "--first").status == 0)
        #expect(try status("/a") == "404")
        #expect(try rule("disable", "b").status == 0)
        #expect(try status("/b") == "200")
        let listed = try rule("list", "--json").text.split(separator: "\n").map {
            try Row(json: String($0))
        }
        #expect(listed.map { $0.text("name") } == ["b", "a"])
        #expect(listed.map { $0.int("hits") } == [2, 1])
        // A rule that says something else begins to count anew; a comment says nothing.
        let before = try String(contentsOfFile: file, encoding: .utf8)
        try "\(before)# more\n".replacingOccurrences(of: "block = 403", with: "block = 410")
            .write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try rule("reload").status == 0)
        let counted = try rule("list", "--json").text.split(separator: "\n").map {
            try Row(json: String($0)).int("hits")
        }
        #expect(counted == [2, 0])
        #expect(try rule("remove", "b").status == 0)
        #expect(try rule("remove", "b").status == 1)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("# mine\n\n[[rule]]\nname = \"a\"\n"))
        #expect(try rule("add", "c", "--when", "hots=x", "--request", "block 403").status == 64)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    @Test
    func `proxyctl rule test reports what rules would have done and why a rule does not match`()
        throws
    {
        let daemon = try daemon("")
        for path in ["/a", "/b"] { try daemon.curl("-o", "/dev/null", url(path)) }
        _ = try daemon.rows(count: 2)
        let tried = data.path + "/tried.toml"
        try """
        [[rule]]
        name = "first"
        when = 'path=/a'
        stop = true
        request = [{ set = "header:X", value = "1" }]
        [[rule]]
        name = "second"
        when = 'method=GET'
        request = [{ block = 403 }]

        """.write(toFile: tried, atomically: true, encoding: .utf8)
        let report = try daemon.proxyctl(["rule", "test", "--file", tried, "--json"])
        let lines = try report.text.split(separator: "\n").map { try Row(json: String($0)) }
        #expect(lines.map { $0.int("matches") } == [1, 1], "\(report)")
        #expect(lines.first?.row("outcomes")?.int("changed") == 1)
        #expect(lines.last?.row("outcomes")?.int("not reached: first stops") == 1)
        let explained = try daemon.proxyctl([
            "rule", "test", "--file", tried, "--explain", "2", "--rule", "first",
        ])
        #expect(explained.text.contains("first  does not match"))
        #expect(explained.text.contains("column 1  path  fails: /b"))
        let expected = try daemon.proxyctl([
            "rule", "test", "--file", tried, "--expect", "first>=2",
        ])
        #expect(expected.status == 1)
    }

    @Test func `proxyctl rule map saves a recorded body and adds a rule that serves it`() throws {
        let daemon = try daemon("")
        try daemon.curl("-o", "/dev/null", url("/name"))
        let row = try daemon.row()
        let saved = data.path + "/saved.txt"
        let mapped = try daemon.proxyctl([
            "rule", "map", String(row.int("id") ?? 0), "--output", saved,
        ])
        #expect(mapped.status == 0, "\(mapped)")
        #expect(try String(contentsOfFile: saved, encoding: .utf8) == "ok")
        try "mine".write(toFile: saved, atomically: true, encoding: .utf8)
        #expect(try daemon.curl(url("/name")).text == "mine")
    }

    @Test
    func `a rule sends a request to another server with that server's Host or the original one`()
        throws
    {
        let daemon = try daemon(
            """
            [[rule]]
            name = "moved"
            when = 'host=moved.test'
            request = [{ send_to = "\(url("/base"))", strip = "/v1" }]
            [[rule]]
            name = "kept"
            when = 'host=kept.test'
            request = [{ send_to = "\(url("/"))", host = "keep" }]

            """)
        try daemon.curl("http://moved.test/v1/a?b=1")
        let moved = try origin.nextRequest()
        #expect(moved.hasPrefix("GET /base/a?b=1 HTTP/1.1\r\nHost: \(origin.authority)\r\n"))
        try daemon.curl("http://kept.test/a")
        #expect(try origin.nextRequest().hasPrefix("GET /a HTTP/1.1\r\nHost: kept.test\r\n"))
    }

    @Test
    func `delayed and throttled responses take at least the configured time and lose no bytes`()
        throws
    {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "late"
            when = 'path:/status'
            request = [{ delay_ms = 100 }]
            response = [{ delay_ms = 150 }]
            [[rule]]
            name = "narrow"
            when = 'path:/bytes'
            request = [{ throttle = { down_kbps = 80, latency_ms = 100 } }]

            """)
        let direct = try Tool.run("curl", ["-sS", server.url("/bytes/3000")])
        let narrow = try daemon.curl(server.url("/bytes/3000"))
        #expect(narrow.text == direct.text && direct.text.utf8.count == 3_000)
        try daemon.curl("-o", "/dev/null", server.url("/status/204"))
        let rows = try daemon.rows(count: 2)
        // 3,000 bytes at 10,000 a second behind a round trip; no less is right, more may be.
        #expect(rows.first?.double("duration_ms") ?? 0 >= 400, "\(rows)")
        #expect(rows.last?.double("duration_ms") ?? 0 >= 250, "\(rows)")
    }

    @Test func `a secret that a rule inserts reaches the server and is written to no file`() throws
    {
        let daemon = try daemon(
            """
            [[rule]]
            name = "token"
            request = [
              { set = "header:Authorization", value = "Bearer hunter2", secret = true },
              { set = "json:password", value = "hunter3", secret = true },
            ]

            """)
        try daemon.curl("-H", "Content-Type: application/json", "-d", "{}", url("/x"))
        let sent = try origin.nextRequest()
        #expect(sent.contains("\r\nAuthorization: Bearer hunter2\r\n"))
        #expect(sent.hasSuffix("{\"password\":\"hunter3\"}"))
        #expect(try daemon.row().object["rules"] as? [String] == ["token"])
        #expect(daemon.stop() == 0)
        for name in try FileManager.default.subpathsOfDirectory(atPath: daemon.directory) {
            let bytes = FileManager.default.contents(atPath: daemon.directory + "/" + name)
            #expect(bytes?.range(of: Data("hunter".utf8)) == nil, "\(name)")
        }
    }

    @Test func `a rules file that is a symbolic link can be reloaded and edited, and stays a link`()
        throws
    {
        let folder = data.path + "/elsewhere"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try "".write(toFile: folder + "/r.toml", atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: file, withDestinationPath: folder + "/r.toml")
        let daemon = try Daemon(data: data)
        try "[[rule]]\nname = \"no\"\nrequest = [{ block = 403 }]\n"
            .write(toFile: folder + "/r.toml", atomically: false, encoding: .utf8)
        var status = ""
        while status != "403" {
            status = try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", url("/x")).text
        }
        // An edit goes to the file, and the link stays one.
        #expect(try daemon.proxyctl(["rule", "remove", "no"]).status == 0)
        #expect(try String(contentsOfFile: folder + "/r.toml", encoding: .utf8) == "")
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: file) == folder + "/r.toml")
    }

    @Test func `a rule can replace the address that a host name resolves to`() throws {
        let daemon = try daemon(
            """
            [[rule]]
            name = "here"
            when = 'host=nowhere.test'
            connect = [{ resolve = "127.0.0.1" }]

            """)
        #expect(try daemon.curl("http://nowhere.test:\(origin.port)/x").text == "ok")
        #expect(try origin.nextRequest().contains("\r\nHost: nowhere.test:\(origin.port)\r\n"))
    }

    @Test func `a rule can replace a 204 with a response that has a body`() throws {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "full"
            when = 'status=204'
            response = [{ set = "status", value = 200 }, { set = "body", value = "new" }]

            """)
        let url = server.url("/status/204")
        let both = try daemon.curl("-w", "%{http_code} ", url, url)
        #expect(both.text == "new200 new200 ", "\(both)")
    }

    @Test func `secret values in a rule's own response are not recorded`() throws {
        let daemon = try daemon(
            """
            [[rule]]
            name = "own"
            request = [{ respond = 200, body = "ok" }]
            response = [
              { set = "header:X-T", value = "hunter2", secret = true },
              { set = "body", value = "hunter3", secret = true },
            ]

            """)
        #expect(try daemon.curl("-i", url("/x")).text.contains("hunter2"))
        let shown = try daemon.proxyctl(["show", String(try daemon.row().int("id") ?? 0)])
        #expect(shown.text.contains("200") && !shown.text.contains("hunter"), "\(shown)")
    }

    @Test func `if a rule withholds the response, the exchange ends when the client disconnects`()
        throws
    {
        let daemon = try daemon(
            """
            [[rule]]
            name = "quiet"
            response = [{ block = "hang" }]

            """)
        #expect(try daemon.curl("--max-time", "1", url("/x")).status == 28)
        let row = try daemon.row()
        #expect(row.text("error")?.hasPrefix("client closedEarly") == true)
    }

    @Test func `a named pipe in place of the rules file is rejected and does not block the proxy`()
        throws
    {
        let daemon = try daemon("")
        try FileManager.default.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        let reload = try daemon.proxyctl(["rule", "reload"])
        #expect(reload.errors.contains("is not a regular file"), "\(reload)")
        #expect(try daemon.curl(url("/x")).text == "ok")
    }

    @Test func `a rule cannot send a request to a denied target network`() throws {
        try "[[rule]]\nname = \"r\"\nrequest = [{ send_to = \"http://127.0.0.9:1/\" }]\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let daemon = try Daemon(
            configuration: "[forwarding]\ndenied_target_networks = [\"127.0.0.9\"]\n", data: data)
        let outcome = try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", url("/x"))
        #expect(outcome.text == "403")
    }
}
