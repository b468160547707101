import Capture
import Foundation
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// What goes wrong is answered rightly, recorded, and never looks complete.
struct FaultTests {
    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET http://h/ HTTP/1.1\r\nHost : h\r\n\r\n", 400),
        ("GET http://h/ HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
        ("GET http://h/ HTTP/1.1\nHost: h\n\n", 400),
        (
            "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n",
            400
        ),
        ("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\nx", 400),
        ("GET http://h/\u{0} HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("NOT HTTP AT ALL\r\n\r\n", 400),
        ("GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET http://h/ HTTP/2.0\r\nHost: h\r\n\r\n", 505),
    ])
    func `a malformed request gets a 400 or 505 and is recorded, and its connection is closed`(
        text: String, status: Int
    ) throws {
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send(text)
        let answer = client.readToEnd() ?? ""
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        let row = try proxy.row()
        #expect(row.text("state") == "failed")
        #expect(row.int("status") == status)
        #expect(row.text("error")?.hasPrefix("client malformedRequest") == true)
    }

    @Test
    func `an unreachable, unresolvable or non-HTTP server causes a 502 that gives the reason`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let silent = try SilentPort()
        for (url, word) in [
            ("http://127.0.0.1:\(silent.port)/", "refused"),
            ("http://no-such-name.invalid/", "no-such-name.invalid"),
            (origin.url("/garbage"), "not valid HTTP"),
            (origin.url("/hangup"), "closed the connection"),
        ] {
            let outcome = try proxy.curl("-i", url)
            #expect(outcome.text.hasPrefix("HTTP/1.1 502 "), "\(url): \(outcome.text)")
            #expect(outcome.text.contains(word), "\(url): \(outcome.text)")
        }
        let rows = try proxy.rows(count: 4)
        #expect(rows.map { $0.text("state") } == Array(repeating: "failed", count: 4))
        #expect(rows.allSatisfy { $0.text("error")?.hasPrefix("upstream ") == true })
    }

    @Test(arguments: [("/short", "only this"), ("/broken-chunk", "hello")])
    func `a response truncated by the server also reaches the client truncated`(
        path: String, received: String
    ) throws {
        let origin = try Origin()
        let proxy = try Daemon()
        let outcome = try proxy.curl(origin.url(path))
        #expect(outcome.status != 0)
        #expect(outcome.text == received)
        let row = try proxy.row()
        #expect(row.text("state") == "failed")
        #expect(row.int("status") == 200)
        #expect(row.int("response_body_bytes") == received.utf8.count)
    }

    @Test func `a second proxyd on the same store does not start, and the first keeps running`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let second = try Tool.run(
            try Tool.built("proxyd"),
            ["--listen", "127.0.0.1:0", "--data-dir", proxy.directory])
        #expect(second.status == 1)
        let words = "already running as process \(proxy.service.pid), listening on 127.0.0.1:"
        #expect(second.errors.contains("\(words)\(proxy.port), data in "), "\(second.errors)")
        #expect(try proxy.curl(origin.url("/still")).status == 0)
    }

    @Test func `proxyd waits during startup for another process to release the store`() throws {
        let store = TemporaryStore()
        let command = try store.recorder()
        let daemon = try Service(
            try Tool.built("proxyd"),
            ["--listen", "127.0.0.1:0", "--data-dir", store.directory.path])
        try daemon.waitForLog("waiting up to 10 s for it")
        command.stop()
        #expect(try daemon.readLine().hasPrefix("proxyd: listening on "))
    }

    @Test func `proxyd exits during startup if another process does not release the store`() throws
    {
        let store = TemporaryStore()
        let command = try store.recorder()
        let daemon = try Tool.run(
            try Tool.built("proxyd"),
            ["--listen", "127.0.0.1:0", "--data-dir", store.directory.path])
        #expect(daemon.status == 1)
        #expect(daemon.errors.contains("is in use by process \(getpid())"), "\(daemon.errors)")
        command.stop()
    }

    @Test func `an exchange is recorded as failed if its client disconnects early`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send("GET \(origin.url("/hold-head/never")) HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try proxy.rows("path:/hold-head", count: 1, final: false)
        client.close()
        let row = try proxy.row("path:/hold-head")
        #expect(row.text("state") == "failed")
        #expect(row.text("error")?.hasPrefix("client ") == true)
    }

    @Test func `on SIGTERM, proxyd finishes open exchanges and exits with 0`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send("GET \(origin.url("/hold-body/drain")) HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.read(until: "first")
        proxy.service.signal(SIGTERM)
        let direct = try Tool.run("curl", ["-sS", origin.url("/release/drain")])
        #expect(direct.status == 0)
        #expect(try client.read(until: "-last") == "-last")
        client.close()
        #expect(proxy.service.waitForExit() == 0)
        let rows = try proxy.rows(count: 1)
        #expect(rows.map { $0.text("state") } == ["complete"])
    }

    @Test func `after kill -9, the store is intact and has every exchange that it had before`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        for number in 0..<20 { try proxy.curl(origin.url("/k\(number)")) }
        _ = try proxy.rows(count: 20)
        proxy.service.signal(SIGKILL)
        _ = proxy.service.waitForExit()
        let again = try Daemon(data: proxy.data)
        #expect(try again.rows(count: 20).count == 20)
        #expect(try again.proxyctl(["check"]).status == 0)
    }

    @Test func `proxyd reports the line of a mistake in its configuration and exits with 78`()
        throws
    {
        let directory = try ScratchFolder()
        let file = directory.path + "/bad.toml"
        try "[limits]\nhead_byte_count_maxx = 3\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Tool.run(
            try Tool.built("proxyd"), ["--config", file, "--check-config"])
        #expect(outcome.status == 78)
        #expect(outcome.errors.hasPrefix("\(file):2: "), "\(outcome.errors)")
        for usage in [["--nonsense"], ["--listen", "nowhere", "--check-config"]] {
            #expect(try Tool.run(try Tool.built("proxyd"), usage).status == 64)
        }
    }
}
