import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl serve --daemon`: captures that the running daemon serves.
@Suite(.timeLimit(.minutes(10)))
struct ServeByDaemonTests {
    private let data: ScratchFolder
    private let origin: ReplayOrigin
    private let daemon: Daemon

    init() throws {
        data = try ScratchFolder()
        origin = try ReplayOrigin()
        try "".write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        daemon = try Daemon(data: data)
        try daemon.curl(url("/count?n=1"))
        _ = try daemon.row()
    }

    private func url(_ path: String) -> String { "http://\(origin.authority)\(path)" }

    private func serve(_ arguments: String...) throws -> Service {
        try Service(
            try Tool.built("proxyctl"), ["--data-dir", daemon.directory, "serve"] + arguments)
    }

    private func ruleNames() throws -> [String?] {
        try daemon.proxyctl(["rule", "list", "--json"]).text.split(separator: "\n").map {
            try Row(json: String($0)).text("name")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `proxyctl serve --daemon prints each request and result and removes its rule on exit`(
        signal: Int32
    ) throws {
        let server = try serve("--from", "path:/count", "--daemon", "--ignore", "query:n")
        #expect(
            try server.readLine()
                == "the daemon answers requests matching host=\"127.0.0.1\" with 1 capture")
        #expect(try ruleNames() == ["serve"])
        #expect(try daemon.curl(url("/count?n=9")).text == "ok")
        #expect(try server.readLine() == "GET \(url("/count?n=9"))  status 200, capture 1")
        let missed = try daemon.curl("-o", "/dev/null", "-w", "%{http_code}", url("/other"))
        #expect(missed.text == "502")
        let line = try server.readLine()
        #expect(line.hasPrefix("GET \(url("/other"))  status 502, unmatched"), "\(line)")
        server.signal(signal)
        #expect(try server.readLine() == "served 1 request")
        #expect(try server.readLine() == "unmatched 1 request")
        #expect(server.waitForExit() == 0)
        #expect(try ruleNames() == [])
        #expect(try daemon.curl(url("/other")).text == "ok")
    }

    @Test
    func `when proxyctl serve --daemon exits, it also reports requests that are not stored yet`()
        throws
    {
        let server = try serve("--from", "path:/count", "--daemon", "--ignore", "query:n")
        _ = try server.readLine()
        let other = try OtherProgram(.writing, store: daemon.directory + "/captures.sqlite")
        for number in 1...4 { try daemon.curl(url("/count?n=\(number)")) }
        server.signal(SIGINT)
        // The command takes the rule back when it has seen the signal.
        try Eventually.isTrue(orFail: "the rule is still there") { try ruleNames().isEmpty }
        other.end()
        for number in 1...4 {
            #expect(
                try server.readLine() == "GET \(url("/count?n=\(number)"))  status 200, capture 1")
        }
        #expect(try server.readLine() == "served 4 requests")
        #expect(server.waitForExit() == 0)
    }

    @Test
    func `proxyctl serve --daemon --strict exits with 1 after an unmatched request`()
        throws
    {
        let server = try serve(
            "--from", "path:/count", "--daemon", "--when", "path:/count", "--strict")
        _ = try server.readLine()
        #expect(try daemon.curl(url("/other")).text == "ok")
        try daemon.curl(url("/count?n=2"))
        #expect(try server.readLine().contains("unmatched, nearest 1, differs in query"))
        server.signal(SIGTERM)
        #expect(try server.readLine() == "served 0 requests")
        #expect(try server.readLine() == "unmatched 1 request")
        #expect(try server.readLine() == "1 capture never requested: 1")
        #expect(server.waitForExit() == 1)
    }

    @Test func `proxyctl serve --daemon fails with a message if proxyd stops`() throws {
        let server = try serve("--from", "path:/count", "--daemon")
        _ = try server.readLine()
        #expect(daemon.stop() == 0)
        #expect(server.waitForExit() == 1)
        #expect(server.errors.contains("the daemon has ended, and with it the rule"))
    }

    @Test func `proxyctl serve --daemon rejects invalid arguments and leaves no rule`() throws {
        let cases: [(arguments: [String], status: Int32, says: String)] = [
            (["--from", "a.har", "--daemon"], 64, "proxyctl import a.har first"),
            (["--from", "a", "--daemon", "--listen", "127.0.0.1:1"], 64, "--listen"),
            (["--from", "a", "--when", "b"], 64, "--when requires --daemon"),
            (["--from", "path=/none", "--daemon"], 1, "there is nothing to serve"),
            (["--from", "path=/none", "--daemon", "--when", "host=a"], 1, "nothing to serve"),
            (["--from", "path:/count", "--daemon", "--when", "hots=a"], 64, "hots"),
        ]
        for (arguments, status, says) in cases {
            let outcome = try daemon.proxyctl(["serve"] + arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome)")
            #expect(outcome.errors.contains(says), "\(arguments): \(outcome.errors)")
        }
        #expect(try ruleNames() == [])
        try "[[rule]]\nname = \"serve\"\nrequest = [{ tag = \"t\" }]\n".write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        #expect(try daemon.proxyctl(["rule", "reload"]).status == 0)
        let taken = try daemon.proxyctl(["serve", "--from", "path:/count", "--daemon"])
        #expect(taken.errors.contains("there is a rule named \"serve\" already"), "\(taken)")
        #expect(try ruleNames() == ["serve"])
    }
}
