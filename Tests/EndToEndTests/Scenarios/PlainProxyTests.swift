import Foundation
import ProxydTestSupport
import Testing

/// Plain HTTP through the real daemon with real clients; the rows are checked field by field.
struct PlainProxyTests {
    @Test func `a GET with a query is recorded with its decoded parameters`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        let outcome = try proxy.curl(
            "-g", origin.url("/search?q=caf%C3%A9&tags[]=a&tags[]=b&flag&sp=a+b"))
        #expect(outcome.status == 0)

        let row = try proxy.row()
        #expect(row.text("method") == "GET")
        #expect(row.text("scheme") == "http")
        #expect(row.text("host") == "127.0.0.1")
        #expect(row.int("port") == origin.port)
        #expect(row.text("path") == "/search")
        #expect(row.text("query") == "q=caf%C3%A9&tags[]=a&tags[]=b&flag&sp=a+b")
        #expect(row.text("http_version") == "HTTP/1.1")
        #expect(row.int("status") == 200)
        #expect(row.text("reason") == "OK")
        #expect(row.text("state") == "complete")
        #expect(row.int("request_body_bytes") == 0)
        #expect(row.int("response_body_bytes") == outcome.output.count)
        #expect(row.text("response_content_type") == "application/json")
        #expect(row.isNull("request_content_type"))
        #expect(row.isNull("error"))
        #expect(row.isNull("tls_version"))
        #expect(row.isNull("replay_of"))
        #expect(row.text("client_address")?.hasPrefix("127.0.0.1:") == true)
        #expect(row.text("server_address") == "127.0.0.1:\(origin.port)")
        #expect(row.text("started_at")?.hasSuffix("Z") == true)
        #expect((row.double("duration_ms") ?? -1) > 0)

        let shown = try proxy.show(row)
        #expect(
            shown.row("request")?.pairs("query") == [
                ["q", "café"], ["tags[]", "a"], ["tags[]", "b"], ["flag", nil], ["sp", "a b"],
            ])
        #expect(shown.row("timeline")?.isNull("tls_ms") == true)
        #expect((shown.row("timeline")?.double("wait_ms") ?? -1) >= 0)
    }

    @Test
    func `the server receives the client's target and headers unchanged, except Proxy-Connection`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let outcome = try proxy.curl(
            "-H", "X-CaSe:  two spaces", "-H", "Proxy-Connection: keep-alive",
            "-H", "x-last: caf\u{e9}", "--path-as-is", origin.url("/a/../%7e;x?%2F"))
        let seen = try Row(json: outcome.text)
        #expect(seen.text("target") == "/a/../%7e;x?%2F")
        let names = seen.pairs("headers").map { $0[0] }
        #expect(names == ["Host", "User-Agent", "Accept", "X-CaSe", "x-last"])
    }

    @Test func `a form POST is recorded with its decoded fields and its body`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        try proxy.curl("-d", "user=alice&token=x%2By", origin.url("/login"))
        let row = try proxy.row("method=POST param.user=alice")
        #expect(row.text("request_content_type") == "application/x-www-form-urlencoded")
        #expect(row.int("request_body_bytes") == 22)
        let request = try proxy.show(row).row("request")
        #expect(request?.pairs("form") == [["user", "alice"], ["token", "x+y"]])
        #expect(request?.text("body_text") == "user=alice&token=x%2By")
    }

    @Test func `JSON and multipart request bodies are shown with their decoded values`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        try proxy.curl(
            "-H", "Content-Type: application/json", "-d", #"{"a":{"x":[1,2,{"y":"deep"}]}}"#,
            origin.url("/json"))
        try proxy.curl(
            "-F", "name=value", "-F", "file=@/etc/hostname;filename=h.txt",
            origin.url("/upload"))
        let json = try proxy.row("path:/json param.a.x[2].y=deep")
        let shown = try proxy.show(json)
        #expect(shown.row("request")?.row("json")?.row("a") != nil)
        let upload = try proxy.show(try proxy.row("path:/upload"))
        let parts = upload.row("request")?.object["multipart"] as? [[String: Any]]
        #expect(parts?.map { $0["name"] as? String } == ["name", "file"])
        #expect(parts?.last?["filename"] as? String == "h.txt")
    }

    @Test
    func `responses to HEAD and 204 or 304 responses have no body, whatever their headers say`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        #expect(
            try proxy.curl("-I", origin.url("/bytes/1000")).text.contains("Content-Length: 1000"))
        #expect(try proxy.curl("-i", origin.url("/status/204")).text.hasPrefix("HTTP/1.1 204"))
        #expect(try proxy.curl("-i", origin.url("/status/304")).text.hasPrefix("HTTP/1.1 304"))
        let rows = try proxy.rows(count: 3)
        #expect(rows.map { $0.int("response_body_bytes") } == [0, 0, 0])
        #expect(rows.map { $0.text("state") } == ["complete", "complete", "complete"])
    }

    @Test func `chunked, close-delimited and gzip bodies are forwarded and recorded completely`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        #expect(try proxy.curl(origin.url("/chunked/100000")).output.count == 100_000)
        #expect(try proxy.curl(origin.url("/until-close/5000")).output.count == 5_000)
        #expect(try proxy.curl("--compressed", origin.url("/gzip")).text.contains("packed"))
        let rows = try proxy.rows(count: 3)
        #expect(rows.prefix(2).map { $0.int("response_body_bytes") } == [100_000, 5_000])
        let trailers = try proxy.show(rows[0]).row("response")?.pairs("trailers")
        #expect(trailers == [["X-Digest", "done"]])
        let packed = try proxy.show(rows[2])
        #expect(packed.row("response")?.row("json")?.int("packed") == 1)
    }

    @Test func `connections to the server are kept alive and marked as reused`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        try proxy.curl(origin.url("/1"), origin.url("/2"), origin.url("/3"))
        let rows = try proxy.rows(count: 3)
        let reused = try rows.map {
            try proxy.show($0).row("timeline")?.int("connection_reused") ?? -1
        }
        #expect(reused == [0, 1, 1])
        let connects = try rows.map { try proxy.show($0).row("timeline")?.isNull("connect_ms") }
        #expect(connects == [false, true, true])
    }

    @Test func `interim responses are forwarded, and so are requests with an Expect header`() throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let hinted = try proxy.curl("-i", origin.url("/hints")).text
        #expect(hinted.components(separatedBy: "103 Early Hints").count == 3)
        let body = String(repeating: "x", count: 5_000)
        let outcome = try proxy.curl(
            "-H", "Expect: 100-continue", "--expect100-timeout", "50", "-d", body,
            origin.url("/expect"))
        #expect(outcome.text == "5000")
    }

    @Test func `wget, git, Node and Python's requests library work through the proxy`() throws {
        let repository = try ScratchFolder()
        let origin = try Origin(root: repository.path)
        let proxy = try Daemon()
        let environment = ["http_proxy": proxy.url]
        var expected = 0
        if Tool.find("wget") != nil {
            let outcome = try Tool.run(
                "wget", ["-qO-", origin.url("/wget")], environment: environment)
            #expect(outcome.text.contains("/wget"))
            expected += 1
        }
        let script = """
            import sys, requests
            print(requests.post(sys.argv[1], data={'k': 'v'},
                                proxies={'http': sys.argv[2]}).json()['method'])
            """
        let python = try Tool.run("python3", ["-c", script, origin.url("/requests"), proxy.url])
        if !python.errors.contains("No module named") {
            #expect(python.text == "POST\n")
            expected += 1
        }
        if Tool.find("node") != nil {
            let node = """
                const http = require('http');
                const u = new URL(process.argv[1]), p = new URL(process.argv[2]);
                http.get({host: p.hostname, port: p.port, path: u.href, headers: {host: u.host}},
                         r => r.pipe(process.stdout));
                """
            let outcome = try Tool.run("node", ["-e", node, origin.url("/node"), proxy.url])
            #expect(outcome.text.contains("/node"))
            expected += 1
        }
        #expect(try proxy.rows(count: expected).count == expected)
        try clone(from: origin, root: repository.path, environment: environment)
        #expect(try proxy.rows("path:/dir/", count: 3).count >= 3)
    }

    private func clone(from origin: Origin, root: String, environment: [String: String]) throws {
        let git = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
        try Tool.run("git", ["init", "-q", root + "/work"])
        try Data("hello\n".utf8).write(to: URL(fileURLWithPath: root + "/work/file"))
        try Tool.run("git", git + ["-C", root + "/work", "add", "file"])
        try Tool.run("git", git + ["-C", root + "/work", "commit", "-qm", "one"])
        try Tool.run("git", ["clone", "-q", "--bare", root + "/work", root + "/repo.git"])
        try Tool.run("git", ["-C", root + "/repo.git", "update-server-info"])
        let outcome = try Tool.run(
            "git", ["clone", "-q", origin.url("/dir/repo.git"), root + "/copy"],
            environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(FileManager.default.fileExists(atPath: root + "/copy/file"))
    }
}
